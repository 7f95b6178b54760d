import copy

# Accepts the termination of a terminated instance.
def repeat_termination():
    from moto.ec2.models.instances import Instance
    terminate = Instance.terminate
    def terminated(self):
        return terminate(self) if self.state != "terminated" else copy.copy(self._state)
    Instance.terminate = terminated

# Gives an instance the disks of its launch template alone, where moto adds one of its own, with the template's tags.
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

# Refuses an instance with a security group that does not exist, where moto makes a group of that id.
def refuse_unknown_groups():
    from moto.ec2.exceptions import InvalidSecurityGroupNotFoundError
    from moto.ec2.models.instances import InstanceBackend
    run = InstanceBackend.run_instances
    def checked(self, *args, **kwargs):
        for group in [group for nic in kwargs.get("nics") or [] for group in nic.get("Groups") or []]:
            if not self.get_security_group_from_id(group):
                raise InvalidSecurityGroupNotFoundError(group)
        return run(self, *args, **kwargs)
    InstanceBackend.run_instances = checked

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

# Leaves an instance its Elastic IP address when it stops and starts: only a public address of EC2's own changes.
def keep_elastic_addresses():
    from moto.ec2.models.elastic_network_interfaces import NetworkInterface
    stop, start = NetworkInterface.stop, NetworkInterface.start
    def has_elastic(self):
        return any(address.eni is self for address in self.ec2_backend.addresses)
    def stopped(self):
        return None if has_elastic(self) else stop(self)
    def started(self):
        return None if has_elastic(self) else start(self)
    NetworkInterface.stop, NetworkInterface.start = stopped, started
