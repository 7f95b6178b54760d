/** What moto prints once it accepts connections. */
export const MOTO_LISTENS = "moto accepts connections";

/** A Python program that starts moto on the port in its first argument, with changes to its behaviour and its speed. */
export const MOTO_LAUNCHER = `
import copy, functools, importlib, logging, sys, threading
logging.getLogger("werkzeug").setLevel(logging.ERROR)
from moto.server import main

# Parses the 1,200 policies of AWS once instead of once per account (0.7 s and 35 MB each). Accounts share them: their counts
# of attachments are those of all accounts.
def share_policies():
    from moto.iam.models import IAMBackend
    parse, parsed, guard = IAMBackend._init_aws_policies, {}, threading.Lock()
    def shared(self):
        with guard:
            if self.partition not in parsed:
                parsed[self.partition] = parse(self)
        return parsed[self.partition]
    IAMBackend._init_aws_policies = shared

# Loads the public images of a region at their first use, not with its first call: a quarter of the tests' time in moto.
def load_images_at_first_use():
    from moto.ec2.models.amis import AmiBackend
    load = AmiBackend._load_amis
    def images(self):
        if not self.__dict__["has_images"]:
            self.__dict__["has_images"] = True
            load(self)
        return self.__dict__["images"]
    def empty(self, images):
        self.__dict__.update(images=images, has_images=False)
    AmiBackend.amis = property(images, empty)
    AmiBackend._load_amis = lambda self: None

class DryRun(Exception):
    pass

# Executes one call at a time, as moto's models are not thread-safe; responds 501 to an unknown operation, 412 to a dry run.
def serialize_calls():
    from botocore.model import OperationNotFoundError
    from moto.core.responses import BaseResponse
    dispatch, lock = BaseResponse._dispatch, threading.RLock()
    def serialized(self, *args, **kwargs):
        try:
            with lock:
                return dispatch(self, *args, **kwargs)
        except (NotImplementedError, OperationNotFoundError) as error:
            return 501, {"content-type": "text/plain"}, str(error)
        except DryRun:
            return 412, {"content-type": "text/plain"}, ""
    BaseResponse._dispatch = serialized

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

# Computes constants once instead of at every call, which halves the cost of a call.
def cache_constants():
    from moto import backends
    from moto.core import responses
    modules = frozenset(backends.list_of_moto_modules())
    backends.list_of_moto_modules = lambda: modules
    responses.method_names_from_class = functools.cache(responses.method_names_from_class)

# Reads the tags of an object by its id instead of searching the tags of all objects.
def read_tags_by_id():
    from moto.ec2.models.core import TaggedEC2Resource
    from moto.ec2.utils import EC2_PREFIX_TO_RESOURCE, get_prefix
    def found(self):
        tags = self.ec2_backend.tags.get(self.id, {}) if self.id else {}
        kind = EC2_PREFIX_TO_RESOURCE.get(get_prefix(self.id), "") if tags else ""
        return [
            {"resource_id": self.id, "key": key, "value": value, "resource_type": kind}
            for key, value in tags.copy().items()
        ]
    TaggedEC2Resource.get_tags = found

# Accepts the termination of a terminated instance.
def repeat_termination():
    from moto.ec2.models.instances import Instance
    terminate = Instance.terminate
    def terminated(self):
        return terminate(self) if self.state != "terminated" else copy.copy(self._state)
    Instance.terminate = terminated

# Gives an instance only the disks of its launch template, while moto adds another one, with the template's tags.
def follow_template_disks():
    from moto.ec2.models.instances import InstanceBackend
    from moto.ec2.utils import convert_tag_spec
    run = InstanceBackend.run_instances
    def tagged(self, *args, **kwargs):
        template = kwargs.get("launch_template")
        if template:
            data = self._get_template_from_args(template).data
            if data.get("BlockDeviceMappings"):
                kwargs.setdefault("block_device_mappings", data["BlockDeviceMappings"])
            own = convert_tag_spec(data.get("TagSpecifications", [])).get("volume", {})
            tags = kwargs.get("tags", {})
            kwargs["tags"] = {**tags, "volume": {**own, **tags.get("volume", {})}}
        return run(self, *args, **kwargs)
    InstanceBackend.run_instances = tagged

# Keeps the user data of a further version of a launch template in the form in which moto keeps that of the first.
def parse_user_data_of_versions():
    from moto.core.types import Base64EncodedString
    from moto.ec2.models.launch_templates import LaunchTemplate
    from moto.ec2.utils import parse_user_data
    create = LaunchTemplate.create_version
    def created(self, data, description):
        if not isinstance(data.get("UserData"), Base64EncodedString):
            data["UserData"] = parse_user_data(data.get("UserData"))
        return create(self, data, description)
    LaunchTemplate.create_version = created

# Records the launches of scaling groups as activities; the proxy's header fails them. A group that is short of instances
# launches them after its activities were read, where AWS does so by itself.
def record_launches():
    import datetime, urllib.parse, uuid
    from flask import has_request_context, request
    from moto.autoscaling.models import FakeAutoScalingGroup
    from moto.autoscaling.responses import ActionResult, AutoScalingResponse
    launch_default = FakeAutoScalingGroup.replace_autoscaling_group_instances
    # moto launches a template's default version, whatever version the group names.
    def launch(self, count_needed, propagated_tags):
        template = self.ec2_launch_template
        if not template:
            return launch_default(self, count_needed, propagated_tags)
        default = template.default_version_number
        template.default_version_number = template.get_version(self.launch_template_version).number
        try:
            launch_default(self, count_needed, propagated_tags)
        finally:
            template.default_version_number = default
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

# Lists only the regions of the caller's partition, as AWS does: China and GovCloud have accounts of their own.
def list_regions_of_partition():
    from moto.ec2.models.availability_zones_and_regions import RegionsAndZonesBackend
    from moto.utilities.utils import get_partition
    describe = RegionsAndZonesBackend.describe_regions
    def of_partition(self, region_names=None):
        own = get_partition(self.region_name)
        return [region for region in describe(self, region_names) if get_partition(region.name) == own]
    RegionsAndZonesBackend.describe_regions = of_partition

# Enforces the caller's IAM policies, only by action, for calls that the proxy marks. moto knows neither the resources nor the
# conditions of a policy, and its check of signatures refuses a body with "%20".
def enforce_policies():
    from moto.core.authorization import ActionAuthenticatorMixin
    from moto.iam.access_control import IAMPolicyStatement, IAMRequest
    matches = IAMPolicyStatement._check_element_matches
    def matched(self, element, value):
        is_allowed = element == "Resource" and self._statement["Effect"] == "Allow"
        return is_allowed or matches(self, element, value)
    IAMPolicyStatement._check_element_matches = matched
    def authorize(self, resource="*"):
        if "X-Gantry-Enforce-Policies" in self.headers:
            IAMRequest(
                account_id=self.current_account, method=self.method, path="/", data=self.data, body=self.raw_body,
                headers=self.headers, action=self._get_action(),
            ).check_action_permitted("*")
        # moto carries out some calls that are dry runs.
        if self.querystring.get("DryRun", [""])[0] == "true":
            raise DryRun()
    ActionAuthenticatorMixin._authenticate_and_authorize_normal_action = authorize

# Finds NAT gateways by their tags; fails one whose VPC has no internet gateway; frees the interface and the address of a
# deleted one.
def complete_nat_gateways():
    from moto.ec2.models.nat_gateways import NatGatewayBackend
    create, describe = NatGatewayBackend.create_nat_gateway, NatGatewayBackend.describe_nat_gateways
    delete = NatGatewayBackend.delete_nat_gateway
    def created(self, *args, **kwargs):
        gateway = create(self, *args, **kwargs)
        vpcs = [internet.vpc.id for internet in self.internet_gateways.values() if internet.vpc]
        if gateway.vpc_id not in vpcs:
            gateway.state, gateway.failure_code = "failed", "Gateway.NotAttached"
            gateway.failure_message = "Network %s has no Internet gateway attached" % gateway.vpc_id
            free(self, gateway)
        return gateway
    def described(self, filters, ids):
        wanted = {name[4:]: values for name, values in (filters or {}).items() if name.startswith("tag:")}
        tags = lambda gateway: {tag["key"]: tag["value"] for tag in gateway.get_tags()}
        found = describe(self, filters, ids)
        return [one for one in found if all(tags(one).get(name) in values for name, values in wanted.items())]
    def deleted(self, id):
        if self.nat_gateways[id].state == "available":
            free(self, self.nat_gateways[id])
        return delete(self, id)
    def free(self, gateway):
        for address in gateway.address_set:
            if address.get("associationId"):
                self.disassociate_address(association_id=address["associationId"])
        self.delete_network_interface(gateway._eni.id)
    NatGatewayBackend.create_nat_gateway = created
    NatGatewayBackend.describe_nat_gateways = described
    NatGatewayBackend.delete_nat_gateway = deleted

# Registers images as AWS does: with a name that no other one has, and a snapshot that stays while they use it. Refuses launches
# that AWS refuses. Lists the account's own images without loading the public ones.
def complete_images():
    import re
    from moto.ec2.exceptions import EC2ClientError, InvalidSnapshotIdError, InvalidSnapshotInUse
    from moto.ec2.models.amis import Ami, AmiBackend
    from moto.ec2.models.elastic_block_store import EBSBackend
    from moto.ec2.models.instances import InstanceBackend
    from moto.ec2.responses.amis import ActionResult, AmisResponse
    from moto.ec2.utils import convert_tag_spec, generic_filter, random_ami_id
    describe, delete_snapshot, run = AmiBackend.describe_images, EBSBackend.delete_snapshot, InstanceBackend.run_instances
    mappings = Ami.block_device_mappings.fget
    def own_images(backend):
        return [image for image in backend.__dict__["images"].values() if "mappings" in vars(image)]
    def register_image(self):
        backend, name, device = self.ec2_backend, self._get_param("Name"), self._get_param("RootDeviceName", "/dev/sda1")
        taken = next((image.id for image in own_images(backend) if image.name == name), None)
        if taken:
            raise EC2ClientError("InvalidAMIName.Duplicate", "AMI name %s is already in use by AMI %s" % (name, taken))
        ebs = next((one["Ebs"] for one in self._get_param("BlockDeviceMappings", []) if one["DeviceName"] == device), {})
        snapshot = backend.snapshots.get(ebs.get("SnapshotId"))
        if not snapshot:
            raise InvalidSnapshotIdError()
        if "Encrypted" in ebs:
            raise EC2ClientError("InvalidParameterValue", "The encrypted flag cannot be specified with a snapshot of an image")
        image = Ami(
            backend, random_ami_id(), name=name, description=self._get_param("Description"),
            architecture=self._get_param("Architecture", "i386"), root_device_type="ebs", root_device_name=device,
            virtualization_type=self._get_param("VirtualizationType", "paravirtual"),
            tags=convert_tag_spec(self._get_param("TagSpecifications", [])).get("image", {}),
        )
        # moto makes a snapshot of its own for each image.
        backend.snapshots.pop(image.ebs_snapshot.id)
        image.ebs_snapshot, image.ena_support = snapshot, str(self._get_param("EnaSupport", False)).lower() == "true"
        size = int(ebs.get("VolumeSize") or snapshot.volume.size)
        kept = {"DeleteOnTermination": ebs.get("DeleteOnTermination", True), "VolumeType": ebs.get("VolumeType", "gp2")}
        image.mappings = [{"DeviceName": device, "Ebs": {"SnapshotId": snapshot.id, "VolumeSize": size, **kept}}]
        backend.amis[image.id] = image
        return ActionResult({"ImageId": image.id})
    def described(self, ami_ids=None, filters=None, exec_users=None, owners=None):
        if owners != ["self"] or ami_ids:
            return describe(self, ami_ids, filters, exec_users, owners)
        return generic_filter(filters, own_images(self)) if filters else own_images(self)
    def snapshot_deleted(self, snapshot_id):
        for image in own_images(self):
            if image.ebs_snapshot.id == snapshot_id:
                raise InvalidSnapshotInUse(snapshot_id, image.id)
        return delete_snapshot(self, snapshot_id)
    def launched(self, image_id, *args, **kwargs):
        type = kwargs.get("instance_type") or "m1.small"
        for image in [one for one in own_images(self) if one.id == image_id]:
            own = "arm64" if re.match(r"(a1|[a-z]+[0-9]+g[a-z]*)[.]", type) else "x86_64"
            if image.architecture != own:
                raise EC2ClientError("InvalidParameterValue", "The architecture '%s' of the specified instance type does not match the architecture '%s' of the specified AMI. Specify an instance type and an AMI that have matching architectures, and try again." % (own, image.architecture))
            if image.virtualization_type != "hvm":
                raise EC2ClientError("InvalidParameterCombination", "Virtualization type '%s' is not supported for instances of type '%s'." % (image.virtualization_type, type))
            if not image.ena_support and re.match(r"(t3|t4|[cmr][5-9])", type):
                raise EC2ClientError("InvalidParameterCombination", "Enhanced networking with the Elastic Network Adapter (ENA) is required for the '%s' instance type. Ensure that you are using an AMI that is enabled for ENA." % type)
        return run(self, image_id, *args, **kwargs)
    Ami.block_device_mappings = property(lambda self: vars(self).get("mappings") or mappings(self))
    AmisResponse.register_image = register_image
    AmiBackend.describe_images = described
    EBSBackend.delete_snapshot = snapshot_deleted
    InstanceBackend.run_instances = launched

# Loads the modules of the first calls in the background.
def patch_and_preload():
    cache_constants()
    serialize_calls()
    share_policies()
    load_images_at_first_use()
    complete_images()
    clear_group_on_detach()
    read_tags_by_id()
    repeat_termination()
    follow_template_disks()
    parse_user_data_of_versions()
    complete_nat_gateways()
    record_launches()
    list_regions_of_partition()
    enforce_policies()
    for service in ("sts", "ec2", "iam", "rds", "autoscaling"):
        importlib.import_module("moto.%s.responses" % service)

# The log's level hides werkzeug's own line.
from werkzeug.serving import BaseWSGIServer
BaseWSGIServer.log_startup = lambda self: print("${MOTO_LISTENS}", flush=True)

threading.Thread(target=patch_and_preload, daemon=True).start()
main(["-H", "127.0.0.1", "-p", sys.argv[1]])
`;
