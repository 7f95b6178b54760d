from patches.progress import Progress, end_of, now, now_as_date

# As of January 2026: https://aws.amazon.com/about-aws/whats-new/2026/01/amazon-ebs-up-to-four-volume-modifications/
MOST_MODIFICATIONS, WINDOW_S = 4, 24 * 3600

# Modifies volumes over time: `modifying`, `optimizing` (from then on the volume shows its new values), `completed`. Refuses a
# modification before the end of the last one, and a fifth one within 24 hours. Shows only a volume's last modification.
# Sentences: public issues and logs of 2020 to 2026 that quote EC2.
def modify_volumes_over_time():
    from moto.ec2.exceptions import EC2ClientError
    from moto.ec2.models.elastic_block_store import EBSBackend, Volume, VolumeModification
    from moto.ec2.utils import generic_filter
    describe, find = EBSBackend.describe_volumes, EBSBackend.get_volume
    fields = ("size", "volume_type", "iops", "throughput", "multi_attach_enabled")

    class Modification(VolumeModification):
        end_time = None
        def __init__(self, volume, targets):
            self.volume, self.start_time, self.started = volume, now_as_date(), now()
            self.end = end_of("volumeModificationEnd") or "completed"
            self.steps = Progress(["modifying", "optimizing"], "volumeModificationMs")
            for name in fields:
                setattr(self, "original_" + name, getattr(volume, name))
                setattr(self, "target_" + name, targets[name])
        @property
        def modification_state(self):
            stage = self.steps.stage()
            return self.end if stage is None or (stage == "optimizing" and self.end == "failed") else stage
        @property
        def progress(self):
            return {"modifying": 0, "optimizing": 50, "failed": 0}.get(self.modification_state, 100)
        # Gives the volume its new values once it shows them.
        def settle(self):
            if self.end_time or self.modification_state == "modifying":
                return
            if self.modification_state != "failed":
                for name in fields:
                    setattr(self.volume, name, getattr(self, "target_" + name))
            if self.modification_state in ("completed", "failed"):
                self.end_time = now_as_date()

    def settle(volumes, looked=False):
        for last in [volume.modifications[-1] for volume in volumes if volume.modifications]:
            if looked and not last.end_time:
                last.steps.look()
            last.settle()
    def modify(self, target_size=None, target_volume_type=None, target_iops=None, target_throughput=None, target_multi_attach_enabled=None):
        given = (target_size, target_volume_type, target_iops, target_throughput, target_multi_attach_enabled)
        if all(value is None for value in given):
            raise EC2ClientError("InvalidParameterValue", "Invalid input: Must specify at least one of size, type, iops, throughput or multi-attach.")
        settle([self])
        state = self.modifications[-1].modification_state if self.modifications else "completed"
        if state not in ("completed", "failed"):
            raise EC2ClientError("IncorrectModificationState", "Volume %s cannot be modified in modification state %s" % (self.id, state.upper()))
        recent = [one for one in self.modifications if now() - one.started < WINDOW_S]
        if len(recent) >= MOST_MODIFICATIONS:
            import datetime
            free = recent[-MOST_MODIFICATIONS].start_time + datetime.timedelta(seconds=WINDOW_S)
            raise EC2ClientError("VolumeModificationRateExceeded", "You've reached the maximum modification rate per volume limit. Wait until %s before you can issue the next modification request for this volume." % free.strftime("%Y-%m-%dT%H:%M:%S.000Z"))
        kind = target_volume_type or self.volume_type
        # Without a value, one of the same type keeps its own, and another type has EBS's default (ModifyVolume in botocore 1.44.5).
        kept = kind == self.volume_type
        iops = int(target_iops) if target_iops else self.iops if kept else 3000 if kind in ("gp3", "io1", "io2") else None
        throughput = int(target_throughput) if target_throughput else self.throughput if kept else 125 if kind == "gp3" else None
        multi = self.multi_attach_enabled if target_multi_attach_enabled is None else target_multi_attach_enabled
        size = int(target_size) if target_size else self.size
        targets = dict(zip(fields, (size, kind, iops, throughput, multi)))
        self.modifications = recent + [Modification(self, targets)]
    def described(self, volume_ids=None, filters=None):
        settle(self.volumes.values(), looked=True)
        return describe(self, volume_ids, filters)
    def described_modifications(self, volume_ids=None, filters=None):
        volumes = describe(self, volume_ids)
        settle(volumes, looked=True)
        for volume in volumes if volume_ids else []:
            if not volume.modifications:
                raise EC2ClientError("InvalidVolumeModification.NotFound", "Modification for volume '%s' does not exist." % volume.id)
        found = [volume.modifications[-1] for volume in volumes if volume.modifications]
        return generic_filter(filters, found) if filters else found
    def found(self, volume_id):
        volume = find(self, volume_id)
        settle([volume])
        return volume
    Volume.modify = modify
    EBSBackend.describe_volumes = described
    EBSBackend.describe_volumes_modifications = described_modifications
    EBSBackend.get_volume = found
