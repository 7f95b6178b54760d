import { NO_CAPACITY } from "./outcomes.js";
import { type ErrorRow, permanent, wait } from "./row.js";

/** Errors of RDS. */
export const databaseErrors: ErrorRow[] = [
  [/^Invalid(DB\w*|GlobalCluster)State/, wait("the database to reach a state in which AWS allows this", 15, 90)],
  [/^DB\w*NotFound/, wait("AWS to show what was just made, unless it was removed", 5, 5)],
  [
    /^(InsufficientDB\w*Capacity|InsufficientStorageClusterCapacity|ProvisionedIopsNotAvailableInAZ|StorageTypeNotAvailable)/,
    NO_CAPACITY,
  ],
  [
    /^DBSubnetGroupDoesNotCoverEnoughAZs/,
    permanent("A database needs subnets in two zones at least; add one in another zone to the network"),
  ],
  [
    /^(InvalidSubnet$|InvalidVPCNetworkState|InvalidDBSubnetGroup(Fault)?$|DBSubnetGroupNotAllowed|SubnetAlreadyInUse)/,
    permanent("The network's subnets do not fit the database; it needs subnets of one network in two zones at least"),
  ],
  [
    /^(StorageTypeNotSupported|InvalidParameterCombination|NetworkTypeNotSupported|DBUpgradeDependencyFailure)/,
    permanent("AWS does not offer this combination of engine, version, flavor, storage and zone"),
  ],
  [
    /^InvalidParameterValue$/,
    permanent("AWS does not offer this engine or version"),
    /parameter group family|DB engine|Cannot find version/i,
  ],
  [
    /^KMSKeyNotAccessible/,
    permanent("AWS may not use the encryption key of the database; the key's owner can allow it"),
  ],
  [
    /^(Authorization|BackupPolicy|BlueGreenDeployment|Certificate|Domain|GlobalCluster|Integration|OptionGroup|TenantDatabase)NotFound/,
    permanent("The AWS account has no such object as the database refers to; it was removed"),
  ],
];
