# Registers images as AWS does: with a name that no other one has, and a snapshot that stays while they use it. Keeps protected
# ones. Refuses launches that AWS refuses. Finds images by their snapshots. Lists the account's own images without loading the public ones.
def complete_images():
    import re
    from moto.ec2.exceptions import EC2ClientError, InvalidSnapshotIdError, InvalidSnapshotInUse
    from moto.ec2.models.amis import Ami, AmiBackend
    from moto.ec2.models.elastic_block_store import EBSBackend
    from moto.ec2.models.instances import InstanceBackend
    from moto.ec2.responses.amis import ActionResult, AmisResponse
    from moto.ec2.utils import convert_tag_spec, generic_filter, random_ami_id
    describe, delete_snapshot, run = AmiBackend.describe_images, EBSBackend.delete_snapshot, InstanceBackend.run_instances
    mappings, filter_value, deregister = Ami.block_device_mappings.fget, Ami.get_filter_value, AmiBackend.deregister_image
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
    def value_of(self, name, method_name=None):
        if name == "block-device-mapping.snapshot-id":
            return [one["Ebs"]["SnapshotId"] for one in vars(self).get("mappings", [])]
        return filter_value(self, name, method_name)
    def protect(self):
        image = self.ec2_backend.amis[self._get_param("ImageId")]
        image.deregistration_protection = "enabled-without-cooldown"
        return ActionResult({"Return": image.deregistration_protection})
    def deregistered(self, ami_id):
        if "deregistration_protection" in vars(self.amis.get(ami_id, self)):
            raise EC2ClientError("OperationNotPermitted", "The image '%s' has deregistration protection." % ami_id)
        return deregister(self, ami_id)
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
    Ami.get_filter_value = value_of
    AmisResponse.register_image = register_image
    AmisResponse.enable_image_deregistration_protection = protect
    AmiBackend.deregister_image = deregistered
    AmiBackend.describe_images = described
    EBSBackend.delete_snapshot = snapshot_deleted
    InstanceBackend.run_instances = launched
