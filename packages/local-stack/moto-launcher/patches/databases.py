import datetime, os
from patches.progress import Progress, delay_of, end_of, now, now_as_date

# The settings of an instance that RDS changes over time, with their names in PendingModifiedValues. RDS changes all others at
# once: "Settings for DB instances" in the RDS user guide, read in November 2026.
PENDING = {
    "engine_version": "EngineVersion", "db_instance_class": "DBInstanceClass", "multi_az": "MultiAZ", "db_port_number": "Port",
    "backup_retention_period": "BackupRetentionPeriod", "storage_type": "StorageType", "allocated_storage": "AllocatedStorage",
    "iops": "Iops", "storage_throughput": "StorageThroughput", "ca_certificate_identifier": "CACertificateIdentifier",
}
# RDS's CAs; the first one is that of new instances.
AUTHORITIES = os.environ["RDS_CERTIFICATE_AUTHORITIES"].split(",")
STORAGE = ("storage_type", "allocated_storage", "iops", "storage_throughput")
# As of 2026: "You can perform a maximum of four storage modifications within any 24-hour period", in the RDS user guide.
MOST_STORAGE_CHANGES, WINDOW_S = 4, 24 * 3600
# RDS starts a stopped instance after seven days: StopDBInstance in the user guide.
LONGEST_STOP_S = 7 * 24 * 3600
# AWS's default of EngineLifecycleSupport, in new and in restored instances.
EXTENDED = "open-source-rds-extended-support"
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
USABLE = ("available", "storage-optimization")

# What is to change in an instance: `waiting` in its maintenance window, `applying` now.
class Changes:
    def __init__(self):
        self.waiting, self.due, self.applying, self.progress, self.end = {}, None, {}, None, "available"
        self.storage_changes, self.restart, self.password_since, self.then = [], None, None, None

# When the current or the next maintenance window of an instance begins, in seconds: "wed:06:38-wed:07:08".
def next_window(window):
    current = datetime.datetime.fromtimestamp(now(), datetime.timezone.utc)
    monday = datetime.datetime.combine(current.date() - datetime.timedelta(days=current.weekday()), datetime.time(), datetime.timezone.utc)
    def at(text):
        day, hour, minute = text.split(":")
        return monday + datetime.timedelta(days=DAYS.index(day), hours=int(hour), minutes=int(minute))
    week = datetime.timedelta(days=7)
    start, end = map(at, (window[:9], window[10:]))
    if end < start:
        end += week
    for offset in (-week, 0 * week, week):
        if end + offset > current:
            return (start + offset).timestamp()

# Whether a daily and a weekly window have a minute in common: "03:00-04:00", "wed:06:38-wed:07:08". moto knows it of a modify.
def overlap(backup, maintenance):
    def minutes(text):
        return int(text[:2]) * 60 + int(text[3:])
    start, end = map(minutes, backup.split("-"))
    first, last = (DAYS.index(text[:3]) * 1440 + minutes(text[4:]) for text in (maintenance[:9], maintenance[10:]))
    week = 7 * 1440
    offsets = ((first - day * 1440 - start) % week for day in range(7))
    return any(offset < (end - start) % 1440 or week - offset < (last - first) % week for offset in offsets)

# Changes DB instances over time, as RDS does, and refuses what RDS refuses. Sentences: public issues that quote RDS; those
# marked "own" have only their code from RDS, as no quotation was found.
def modify_databases_over_time():
    from moto.rds.exceptions import DBInstanceAlreadyExists, DBInstanceNotFoundError, RDSClientError
    from moto.rds.models import DBInstance, RDSBackend
    describe, modify, delete = RDSBackend.describe_db_instances, RDSBackend.modify_db_instance, RDSBackend.delete_db_instance
    stop, promote, replicate = RDSBackend.stop_db_instance, RDSBackend.promote_read_replica, RDSBackend.create_db_instance_read_replica
    restore, from_snapshot = RDSBackend.restore_db_instance_to_point_in_time, RDSBackend.restore_db_instance_from_db_snapshot

    def changes_of(database):
        return vars(database).setdefault("changes", Changes())
    def begin(database, values, first=None, end="available", then=None):
        changes = changes_of(database)
        stages = first if isinstance(first, list) else [first] if first else ["upgrading"] if "engine_version" in values else ["modifying"]
        if any(name in values for name in STORAGE):
            changes.storage_changes.append(now())
            stages.append("storage-optimization")
        elif database.status == "storage-optimization":
            stages.append("storage-optimization")
        changes.applying, changes.progress, changes.end, changes.then = values, Progress(stages, "databaseMs"), end, then
    def apply(database, changes):
        made = {} if end_of("databaseChangeEnd") == "failed" else changes.applying
        for name, value in sorted(made.items(), key=lambda one: one[0] == "storage_throughput"):
            setattr(database, "port" if name == "db_port_number" else name, value)
        changes.applying = {}
    def settle(database, looked=False):
        changes = changes_of(database)
        if changes.progress:
            if looked:
                changes.progress.look()
            stage = changes.progress.stage()
            if stage in (None, "storage-optimization"):
                apply(database, changes)
            database.status = stage or changes.end
            if not stage:
                changes.progress = None
                if changes.then:
                    changes.then()
                    changes.then = None
                stopped = changes.end == "stopped"
                changes.restart = now() + LONGEST_STOP_S if stopped else None
                restart = datetime.datetime.fromtimestamp(changes.restart, datetime.timezone.utc) if stopped else None
                database.automatic_restart_time = restart
        if database.status == "stopped" and changes.restart and now() >= changes.restart:
            begin(database, {}, "starting")
        elif database.status == "available" and changes.waiting and now() >= changes.due:
            begin(database, changes.waiting)
            changes.waiting = {}
        else:
            return
        if looked:
            changes.progress.look()
        database.status = changes.progress.stage()
    def pending(database):
        changes = changes_of(database)
        values = {PENDING[name]: value for name, value in {**changes.waiting, **changes.applying}.items()}
        since = changes.password_since
        is_new = since is not None and now() - since <= delay_of("databaseMs")
        return {**values, "MasterUserPassword": "****"} if is_new else values
    def find(self, identifier):
        database = describe(self, identifier)[0]
        settle(database)
        return database
    def refuse(code, message):
        raise RDSClientError(code, message)
    def expect(is_right, code, message):
        if not is_right:
            refuse(code, message)

    def check_storage(database, asked):
        name = database.engine
        former, size = database.allocated_storage, asked.get("allocated_storage", database.allocated_storage)
        kind = asked.get("storage_type", database.storage_type)
        changes = changes_of(database)
        expect(database.status != "storage-optimization", "InvalidParameterCombination", "You can't currently modify the storage of this DB instance because the previous storage change is being optimized.")
        recent = [one for one in changes.storage_changes if now() - one < WINDOW_S]
        # Own.
        expect(len(recent) < MOST_STORAGE_CHANGES, "InvalidParameterCombination", "You can perform a maximum of four storage modifications within any 24-hour period.")
        # Own. The API reference rounds the size up instead: the user guide is of a later date.
        expect(size >= former, "InvalidParameterCombination", "Invalid storage size for engine name %s and storage type %s: %s" % (name, kind, size))
        expect(size == former or size * 10 >= former * 11, "InvalidParameterCombination", "The allocated storage must be increased by at least 10 percent.")
        takes_iops = kind in ("io1", "io2") or kind == "gp3" and size >= 400
        has_iops = "iops" in asked or "storage_throughput" in asked
        if kind == "gp3":
            expect(takes_iops or not has_iops, "InvalidParameterCombination", "You can't specify IOPS or storage throughput for engine %s and a storage size less than 400." % name)
        # Own.
        expect(takes_iops or not has_iops, "InvalidParameterCombination", "You can specify IOPS only for the io1, io2 and gp3 storage types.")
        expect(kind == "gp3" or "storage_throughput" not in asked, "InvalidParameterCombination", "You can specify storage throughput only for the gp3 storage type.")
        named = "iops" in asked and "allocated_storage" in asked
        expect(kind not in ("io1", "io2") or named, "InvalidParameterCombination", "You must specify both the storage size and iops when modifying the storage size or iops on a DB instance that has iops.")
    def modified(self, db_instance_identifier, db_kwargs):
        database = find(self, db_instance_identifier)
        expect(database.status in USABLE, "InvalidDBInstanceState", "Database instance is not in available state.")
        asked = {name: db_kwargs[name] for name in PENDING if db_kwargs.get(name) is not None}
        shown = {name: getattr(database, "port" if name == "db_port_number" else name) for name in asked}
        asked = {name: value for name, value in asked.items() if value != shown[name]}
        authority = asked.get("ca_certificate_identifier")
        # Own.
        expect(authority in (None, *AUTHORITIES), "CertificateNotFound", "Certificate not found: %s" % authority)
        days = asked.get("backup_retention_period")
        if days is not None:
            # Own: RDS's sentence for DB clusters, which starts at 1.
            expect(0 <= days <= 35, "InvalidParameterValue", "Invalid backup retention period: %s. Retention period must be between 0 and 35." % days)
            # Own.
            expect(days > 0 or not database.replicas, "InvalidDBInstanceState", "The backup retention period can't be set to 0 while the DB instance is a source to read replicas.")
        if any(name in asked for name in STORAGE):
            given = {name: db_kwargs[name] for name in STORAGE if db_kwargs.get(name) is not None}
            check_storage(database, {**given, **{name: asked[name] for name in STORAGE if name in asked}})
        others = {name: value for name, value in db_kwargs.items() if name not in PENDING}
        modify(self, db_instance_identifier, others)
        changes = changes_of(database)
        if db_kwargs.get("apply_immediately"):
            # "You can modify the DB instance to revert the change", at once: the user guide.
            changes.waiting = {name: value for name, value in changes.waiting.items() if name not in shown or name in asked}
        if db_kwargs.get("master_user_password"):
            changes.password_since = now()
        if days and shown["backup_retention_period"]:
            database.backup_retention_period = asked.pop("backup_retention_period")
        if not db_kwargs.get("apply_immediately"):
            port = {name: asked.pop(name) for name in ("db_port_number",) if name in asked}
            if asked:
                changes.waiting, changes.due = {**changes.waiting, **asked}, next_window(database.preferred_maintenance_window)
            asked = port
        elif changes.waiting:
            asked, changes.waiting = {**changes.waiting, **asked}, {}
        if asked:
            begin(database, asked)
        return database
    def described(self, db_instance_identifier=None, filters=None):
        found = describe(self, db_instance_identifier, filters)
        for database in found:
            settle(database, looked=True)
        return found
    def rebooted(self, db_instance_identifier):
        database = find(self, db_instance_identifier)
        expect(database.status in USABLE, "InvalidDBInstanceState", "Database instance is not in available state.")
        changes = changes_of(database)
        # Storage waits on.
        applied = {name: value for name, value in changes.waiting.items() if name not in STORAGE}
        changes.waiting = {name: value for name, value in changes.waiting.items() if name in STORAGE}
        begin(database, applied, "rebooting")
        database.status = "rebooting"
        return database
    def stopped(self, db_instance_identifier, db_snapshot_identifier=None):
        database = find(self, db_instance_identifier)
        expect(not database.is_replica, "InvalidDBInstanceState", "Cannot stop or start a Read-Replica instance")
        # Own.
        expect(not database.replicas, "InvalidDBInstanceState", "Cannot stop or start an instance that has Read-Replicas")
        stop(self, db_instance_identifier, db_snapshot_identifier)
        begin(database, {}, "stopping", "stopped")
        database.status = "stopping"
        return database
    def started(self, db_instance_identifier):
        database = find(self, db_instance_identifier)
        expect(database.status == "stopped", "InvalidDBInstanceState", "Instance %s is not stopped, it cannot be started." % db_instance_identifier)
        begin(database, {}, "starting")
        database.status = "starting"
        return database
    def promoted(self, db_kwargs):
        database = find(self, db_kwargs["db_instance_identifier"])
        # Own.
        expect(database.is_replica, "InvalidDBInstanceState", "DB Instance is not a read replica")
        expect(database.status == "available", "InvalidDBInstanceState", "DB Instance is not in available state.")
        days = db_kwargs.get("backup_retention_period")
        days = 1 if days is None else days
        expect(0 <= days <= 35, "InvalidParameterValue", "Invalid backup retention period: %s. Retention period must be between 0 and 35." % days)
        backup, maintenance = db_kwargs.get("preferred_backup_window"), database.preferred_maintenance_window
        expect(not (backup and maintenance and overlap(backup, maintenance)), "InvalidParameterValue", "The backup window and maintenance window must not overlap.")
        def end_replication():
            self.find_db_from_id(database.source_db_instance_identifier).remove_replica(database)
            promote(self, {**db_kwargs, "backup_retention_period": days})
            database.source_db_instance_identifier, database.backup_retention_period = None, days
        # "When you promote a read replica, RDS reboots the DB instance before making it available": the user guide.
        begin(database, {}, ["modifying", "rebooting"], then=end_replication)
        return database
    def replicated(self, db_kwargs):
        source = self.find_db_from_id(db_kwargs["source_db_instance_identifier"])
        settle(source)
        expect(source.status in USABLE, "InvalidDBInstanceState", "Database instance is not in available state.")
        expect(source.backup_retention_period, "InvalidDBInstanceState", "Automated backups are not enabled for this database instance. To enable automated backups, use ModifyDBInstance to set the backup retention period to a non-zero value.")
        replica = replicate(self, db_kwargs)
        replica.changes, replica.backup_retention_period = Changes(), 0
        return replica
    # What RDS does not take from the source: the changes that wait there, the maintenance window, the copy in another zone.
    def as_new(database, asked):
        database.changes, database.preferred_maintenance_window = Changes(), "wed:06:38-wed:07:08"
        database.multi_az, database.source_db_instance_identifier = bool(asked.get("multi_az")), None
        database.deletion_protection = bool(asked.get("deletion_protection"))
        database.engine_lifecycle_support = asked.get("engine_lifecycle_support") or EXTENDED
        return database
    def restored(self, source_db_identifier, target_db_identifier, overrides):
        source = find(self, source_db_identifier)
        expect(source.status in USABLE, "InvalidDBInstanceState", "Database instance is not in available state.")
        days, time = source.backup_retention_period, overrides.get("restore_time")
        # Own.
        expect(days, "PointInTimeRestoreNotEnabled", "Point-in-time restore is not enabled for %s." % source_db_identifier)
        # Own.
        expect(bool(time) != bool(overrides.get("use_latest_restorable_time")), "InvalidParameterCombination", "Specify either RestoreTime or UseLatestRestorableTime.")
        if time:
            text = lambda when: when.strftime("%Y-%m-%dT%H:%M:%SZ")
            time = time if time.tzinfo else time.replace(tzinfo=datetime.timezone.utc)
            latest = now_as_date()
            earliest = max(latest - datetime.timedelta(days=days), source.created.replace(tzinfo=datetime.timezone.utc, microsecond=0))
            expect(time <= latest, "InvalidParameterValue", "The specified instance cannot be restored to a time later than %s." % text(latest))
            expect(time >= earliest, "InvalidParameterValue", "The specified instance cannot be restored to a time earlier than %s because its backup retention period is set to %s days." % (text(earliest), days))
        if target_db_identifier in self.databases:
            raise DBInstanceAlreadyExists()
        return as_new(restore(self, source_db_identifier, target_db_identifier, overrides), overrides)
    def restored_from_snapshot(self, from_snapshot_id, overrides):
        return as_new(from_snapshot(self, from_snapshot_id, overrides), overrides)
    def latest_restorable(database):
        return now_as_date() if database.backup_retention_period else None
    def deleted(self, db_instance_identifier, *args, **kwargs):
        if db_instance_identifier not in self.databases:
            raise DBInstanceNotFoundError(db_instance_identifier)
        database = find(self, db_instance_identifier)
        expect(database.status in (*USABLE, "stopped"), "InvalidDBInstanceState", "Instance %s is currently %s." % (db_instance_identifier, database.status))
        return delete(self, db_instance_identifier, *args, **kwargs)
    initialize = DBInstance.__init__
    def initialized(self, *args, **kwargs):
        initialize(self, *args, **kwargs)
        if self.ca_certificate_identifier == "rds-ca-default":
            self.ca_certificate_identifier = AUTHORITIES[0]
        self.engine_lifecycle_support = kwargs.get("engine_lifecycle_support") or EXTENDED
    DBInstance.__init__ = initialized
    DBInstance.pending_modified_values = property(pending)
    RDSBackend.describe_db_instances = described
    RDSBackend.modify_db_instance = modified
    RDSBackend.reboot_db_instance = rebooted
    RDSBackend.stop_db_instance = stopped
    RDSBackend.start_db_instance = started
    RDSBackend.promote_read_replica = promoted
    RDSBackend.create_db_instance_read_replica = replicated
    RDSBackend.restore_db_instance_to_point_in_time = restored
    RDSBackend.restore_db_instance_from_db_snapshot = restored_from_snapshot
    DBInstance.latest_restorable_time = property(latest_restorable)
    RDSBackend.delete_db_instance = deleted
