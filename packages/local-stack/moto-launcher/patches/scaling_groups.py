# Removes the scaling group of a detached instance, which would otherwise keep it for ever.
def clear_group_on_detach():
    from moto.autoscaling.models import AutoScalingBackend
    detach = AutoScalingBackend.detach_instances
    def detached(self, group_name, instance_ids, should_decrement):
        activities = detach(self, group_name, instance_ids, should_decrement)
        for id in instance_ids:
            vars(self.ec2_backend.get_instance(id)).pop("autoscaling_group", None)
        return activities
    AutoScalingBackend.detach_instances = detached

# Records the launches of scaling groups as activities; the proxy's header fails them. A group that is short of instances
# launches them after its activities were read, where AWS does so by itself.
def record_launches():
    import datetime, urllib.parse, uuid
    from flask import has_request_context, request
    from moto.autoscaling.models import FakeAutoScalingGroup, InstanceState
    from moto.autoscaling.responses import ActionResult, AutoScalingResponse
    launch_default = FakeAutoScalingGroup.replace_autoscaling_group_instances
    # moto launches a template's default version, whatever version the group names.
    def launch(self, count_needed, propagated_tags):
        template = self.ec2_launch_template
        if not template:
            return launch_default(self, count_needed, propagated_tags)
        default, before = template.default_version_number, len(self.instance_states)
        number = template.default_version_number = template.get_version(self.launch_template_version).number
        try:
            launch_default(self, count_needed, propagated_tags)
        finally:
            template.default_version_number = default
        for state in self.instance_states[before:]:
            state.launched_from = {"LaunchTemplateId": template.id, "LaunchTemplateName": template.name, "Version": str(number)}
    # moto shows a template's default version for each member, and for those that were attached.
    InstanceState.launch_template = property(lambda self: vars(self).get("launched_from"))
    def recorded(self, count_needed, propagated_tags):
        failure = request.headers.get("x-gantry-launch-failure") if has_request_context() else None
        before = len(self.instance_states)
        if not failure:
            launch(self, count_needed, propagated_tags)
        ids = [state.instance.id for state in self.instance_states[before:]]
        now = datetime.datetime.now(datetime.timezone.utc)
        for id in ids or [None] * count_needed:
            activity = {
                "ActivityId": str(uuid.uuid4()),
                "AutoScalingGroupName": self.name,
                "Description": "Launching a new EC2 instance" + (": " + id if id else ""),
                "Cause": "At %s an instance was started in response to a difference between desired and actual capacity." % now.isoformat(),
                "StartTime": now,
                "EndTime": now,
                "StatusCode": "Successful" if id else "Failed",
                "Progress": 100,
            }
            if not id:
                activity["StatusMessage"] = urllib.parse.unquote(failure)
            vars(self).setdefault("activities", []).insert(0, activity)
    FakeAutoScalingGroup.replace_autoscaling_group_instances = recorded

    def describe_scaling_activities(self):
        name = self._get_param("AutoScalingGroupName")
        group = self.autoscaling_backend.autoscaling_groups.get(name)
        activities = vars(group).get("activities", [])[: self._get_int_param("MaxRecords") or 100] if group else []
        if group and len(group.active_instances()) < (group.desired_capacity or 0):
            group.set_desired_capacity(group.desired_capacity)
        return ActionResult({"Activities": activities})
    AutoScalingResponse.describe_scaling_activities = describe_scaling_activities
