import { NO_CAPACITY } from "./outcomes.js";
import { absent, type ErrorRow, permanent, unlessGone, wait } from "./row.js";

const NO_BACKUP =
  "RDS has no backup of the source for this time; choose a time in its backup retention period, or a snapshot";

/** Errors of RDS. */
export const databaseErrors: ErrorRow[] = [
  [
    /^Invalid(DB\w*|GlobalCluster)State/,
    wait("the database to reach a state in which AWS allows this operation", 15, 90),
  ],
  [/^DB\w*NotFound/, absent("AWS to show an object that was just created", 5, 5)],
  [
    /^(InsufficientDB\w*Capacity|InsufficientStorageClusterCapacity|ProvisionedIopsNotAvailableInAZ|StorageTypeNotAvailable)/,
    NO_CAPACITY,
  ],
  [
    /^DBSubnetGroupDoesNotCoverEnoughAZs/,
    permanent("A database needs subnets in at least two zones; add a subnet in another zone to the network"),
  ],
  [
    /^(InvalidSubnet$|InvalidVPCNetworkState|InvalidDBSubnetGroup(Fault)?$|DBSubnetGroupNotAllowed|SubnetAlreadyInUse)/,
    unlessGone(
      permanent("The network's subnets do not fit the database; it needs subnets of one network in at least two zones"),
    ),
  ],
  [
    /^(StorageTypeNotSupported|InvalidParameterCombination|NetworkTypeNotSupported|DBUpgradeDependencyFailure)/,
    permanent("AWS does not offer this combination of engine, version, flavor, storage and zone"),
  ],
  [/^(InvalidRestore|PointInTimeRestoreNotEnabled)/, permanent(NO_BACKUP)],
  [/^InvalidParameterValue$/, permanent(NO_BACKUP), /cannot be restored to a time/],
  [
    /^InvalidParameterValue$/,
    permanent("AWS does not offer this engine or version"),
    /parameter group family|DB engine|Cannot find version/i,
  ],
  [
    /^KMSKeyNotAccessible/,
    permanent("AWS is not permitted to use the database's encryption key; the key's owner can allow it"),
  ],
  [/^CertificateNotFound/, permanent("RDS does not know this certificate authority")],
  [
    /^(Authorization|BackupPolicy|BlueGreenDeployment|Domain|GlobalCluster|Integration|OptionGroup|TenantDatabase)NotFound/,
    permanent("An object that the database refers to no longer exists in the AWS account"),
  ],
];
