import uuid
from patches.progress import LONGEST_CHANGE_S, delay_of, end_of, is_look, now, now_as_date

ACTIVE = ("Pending", "InProgress", "Cancelling", "RollbackInProgress")

# A refresh of a group's instances. It takes one step with each look of a caller at it: it begins, replaces a batch, ends. A step
# lasts at least as long as the account's delay of refreshes, and as that of the instances which the last one launched.
class Refresh:
    def __init__(self, group, desired, preferences):
        self.group, self.desired, self.preferences = group, desired, preferences
        self.id, self.start_time, self.end_time, self.reason = str(uuid.uuid4()), now_as_date(), None, None
        self.status, self.end = "Pending", end_of("instanceRefreshEnd") or "completed"
        self.since, self.looks, self.rollback = now(), 0, None
        self.launched, self.leaving = [], []
        self.template, self.version = target_of(group, desired)
        self.former = (group.ec2_launch_template, group.launch_template_version)
        self.least = int(preferences.get("MinHealthyPercentage", 90))
        number = self.template.get_version(self.version).number
        def is_replaced(member):
            kept = [("ScaleInProtectedInstances", member.protected_from_scale_in), ("StandbyInstances", member.lifecycle_state == "Standby")]
            if any(is_kept and preferences.get(name) == "Ignore" for name, is_kept in kept):
                return False
            launched = member.launch_template
            is_same = launched and (launched["LaunchTemplateId"], launched["Version"]) == (self.template.id, str(number))
            return not (is_same and preferences.get("SkipMatching"))
        self.todo = [member for member in group.instance_states if is_replaced(member)]
        self.total = len(self.todo)

    @property
    def is_active(self):
        return self.status in ACTIVE

    def settle(self, looked=False):
        self.looks += looked and is_look()
        delay_s, elapsed_s = max(delay_of("instanceRefreshMs"), delay_of("instanceMs")), now() - self.since
        if self.is_active and self.looks > 1 and elapsed_s >= delay_s:
            self.step()
            self.since, self.looks = now(), 1
        while self.is_active and elapsed_s > max(LONGEST_CHANGE_S, delay_s):
            self.step()

    def step(self):
        if self.status == "Pending":
            self.status = "InProgress"
        elif self.status == "Cancelling":
            self.finish("Cancelled")
        elif self.rollback and self.end == "rollback-failed":
            self.finish("RollbackFailed", "The rollback could not be completed.")
        elif not self.todo and not self.leaving:
            if not self.rollback:
                self.group.ec2_launch_template, self.group.launch_template_version = self.template, self.version
                self.group.provided_launch_template_version = self.version
            self.finish("RollbackSuccessful" if self.rollback else "Successful")
        elif not self.rollback and self.end != "completed" and (self.launched or not self.todo):
            self.fail("Instances could not be replaced.")
        elif not self.rollback and self.waits_for():
            self.fail("%s are in the group." % self.waits_for())
        else:
            self.replace()

    # As many at once as the least healthy percentage leaves, and one in any case; with 100 % the new one comes first.
    def replace(self):
        self.remove(self.leaving)
        members = [member for member in self.todo if member in self.group.instance_states]
        size = max(1, (self.group.desired_capacity or 0) * (100 - self.least) // 100)
        batch = members[:size]
        before = list(self.group.instance_states)
        target = self.former if self.rollback else (self.template, self.version)
        if batch and not self.launch(len(batch), target):
            return self.fail("Could not launch instances. Reason: see the scaling activities of the group.")
        self.launched += [member for member in self.group.instance_states if member not in before]
        self.todo = members[size:]
        self.leaving = batch
        if self.least < 100:
            self.remove(batch)

    def launch(self, count, target):
        group = self.group
        own = (group.ec2_launch_template, group.launch_template_version)
        group.ec2_launch_template, group.launch_template_version = target
        before = len(group.instance_states)
        try:
            group.replace_autoscaling_group_instances(count, group.get_propagated_tags())
        finally:
            group.ec2_launch_template, group.launch_template_version = own
        return len(group.instance_states) == before + count

    def remove(self, members):
        self.leaving = []
        if not members:
            return
        self.group.autoscaling_backend.ec2_backend.terminate_instances([member.instance.id for member in members])
        self.group.instance_states = [member for member in self.group.instance_states if member not in members]

    # What makes AWS wait for an hour, and then fail.
    def waits_for(self):
        protected = any(member.protected_from_scale_in for member in self.todo)
        if protected and self.preferences.get("ScaleInProtectedInstances", "Wait") == "Wait":
            return "Instances protected from scale in"
        standby = any(member.lifecycle_state == "Standby" for member in self.todo)
        return "Standby instances" if standby and self.preferences.get("StandbyInstances", "Wait") == "Wait" else None

    def fail(self, reason):
        if self.rollback:
            self.finish("RollbackFailed", reason)
        elif self.preferences.get("AutoRollback"):
            self.roll_back("automatic rollback: " + reason)
        else:
            self.finish("Failed", reason)

    def roll_back(self, reason):
        self.remove(self.leaving)
        self.rollback = {"RollbackReason": reason, "RollbackStartTime": now_as_date(), "PercentageCompleteOnRollback": self.percentage(), "InstancesToUpdateOnRollback": len(self.todo)}
        self.todo, self.status = [member for member in self.launched if member in self.group.instance_states], "RollbackInProgress"

    def finish(self, status, reason=None):
        self.remove(self.leaving)
        self.status, self.reason, self.end_time = status, reason, now_as_date()

    def percentage(self):
        left = self.total - len(self.todo) if self.rollback else len(self.todo) + (len(self.leaving) if self.least >= 100 else 0)
        return 100 * (self.total - left) // self.total if self.total else 100

    def shown(self):
        values = {
            "InstanceRefreshId": self.id, "AutoScalingGroupName": self.group.name, "Status": self.status, "StatusReason": self.reason,
            "StartTime": self.start_time, "EndTime": self.end_time, "PercentageComplete": self.percentage(), "InstancesToUpdate": len(self.todo),
            "Preferences": self.preferences, "DesiredConfiguration": self.desired or None, "RollbackDetails": self.rollback,
        }
        return {name: value for name, value in values.items() if value is not None}

# The launch template and the version of a desired configuration, or of the group.
def target_of(group, desired):
    template = (desired or {}).get("LaunchTemplate")
    if not template:
        return group.ec2_launch_template, group.launch_template_version
    ec2 = group.autoscaling_backend.ec2_backend
    by_id = template.get("LaunchTemplateId")
    found = ec2.get_launch_template(by_id) if by_id else ec2.get_launch_template_by_name(template["LaunchTemplateName"])
    return found, template.get("Version") or "$Default"

# Replaces a group's instances over time, which moto cannot. Behavior: the service model of autoscaling 2011-01-01 in botocore,
# and "Use an instance refresh to update instances in an Auto Scaling group" in the EC2 Auto Scaling User Guide, read in November
# 2026. Sentences: public issues and the user guide; those marked "own" have only their code from AWS.
def refresh_instances():
    from moto.autoscaling.exceptions import AutoscalingClientError
    from moto.autoscaling.models import AutoScalingBackend, FakeAutoScalingGroup
    from moto.autoscaling.responses import ActionResult, AutoScalingResponse
    describe, update = AutoScalingBackend.describe_auto_scaling_groups, FakeAutoScalingGroup.update

    def refuse(code, message):
        raise AutoscalingClientError(code, message)
    def refreshes_of(group):
        return vars(group).setdefault("refreshes", [])
    def active_of(group):
        for refresh in refreshes_of(group)[:1]:
            refresh.settle()
            if refresh.is_active:
                return refresh
    def find(response):
        name = response._get_param("AutoScalingGroupName")
        group = response.autoscaling_backend.autoscaling_groups.get(name)
        return group or refuse("ValidationError", "AutoScalingGroup name not found - AutoScalingGroup '%s' not found" % name)
    def is_fixed(version):
        return not str(version).startswith("$")
    def check_reversible(group, desired, code, message):
        if not desired or not is_fixed(group.launch_template_version) or not is_fixed(target_of(group, desired)[1]):
            refuse(code, message)

    def start(self):
        group, desired, preferences = find(self), self._get_param("DesiredConfiguration"), self._get_param("Preferences") or {}
        if active_of(group):
            refuse("InstanceRefreshInProgress", "An Instance Refresh is already in progress and blocks the execution of this Instance Refresh.")
        if preferences.get("AutoRollback"):
            if not desired:
                refuse("ValidationError", "The AutoRollback parameter cannot be set to true when the DesiredConfiguration parameter is empty. Set AutoRollback to false or specify a desired configuration and try again.")
            # Own.
            check_reversible(group, desired, "ValidationError", "The AutoRollback parameter cannot be set to true with the launch template version $Latest or $Default.")
        refresh = Refresh(group, desired, preferences)
        refreshes_of(group).insert(0, refresh)
        return ActionResult({"InstanceRefreshId": refresh.id})
    def describe_refreshes(self):
        group, ids = find(self), self._get_param("InstanceRefreshIds") or []
        for refresh in refreshes_of(group)[:1]:
            refresh.settle(looked=True)
        shown = [refresh.shown() for refresh in refreshes_of(group) if not ids or refresh.id in ids]
        return ActionResult({"InstanceRefreshes": shown[: self._get_int_param("MaxRecords") or 50]})
    def find_active(self):
        # Own.
        return active_of(find(self)) or refuse("ActiveInstanceRefreshNotFound", "No in progress or pending Instance Refresh found for the Auto Scaling group.")
    def cancel(self):
        refresh = find_active(self)
        refresh.status, refresh.since, refresh.looks = "Cancelling", now(), 0
        return ActionResult({"InstanceRefreshId": refresh.id})
    def roll_back(self):
        refresh = find_active(self)
        # Own.
        check_reversible(refresh.group, refresh.desired, "IrreversibleInstanceRefresh", "The instance refresh cannot be rolled back.")
        if not refresh.rollback:
            refresh.roll_back("manual rollback")
            refresh.since, refresh.looks = now(), 0
        return ActionResult({"InstanceRefreshId": refresh.id})
    def described(self, names, filters=None):
        groups = describe(self, names, filters)
        for group in groups:
            active_of(group)
        return groups
    def updated(self, availability_zones, desired_capacity, max_size, min_size, launch_config_name, launch_template, *args, **kwargs):
        refresh = active_of(self)
        if refresh and refresh.desired and (launch_config_name or launch_template):
            refuse("ValidationError", "An active instance refresh with a desired configuration exists. All configuration options derived from the desired configuration are not available for update while the instance refresh is active.")
        return update(self, availability_zones, desired_capacity, max_size, min_size, launch_config_name, launch_template, *args, **kwargs)
    AutoScalingResponse.start_instance_refresh = start
    AutoScalingResponse.describe_instance_refreshes = describe_refreshes
    AutoScalingResponse.cancel_instance_refresh = cancel
    AutoScalingResponse.rollback_instance_refresh = roll_back
    AutoScalingBackend.describe_auto_scaling_groups = described
    FakeAutoScalingGroup.update = updated
