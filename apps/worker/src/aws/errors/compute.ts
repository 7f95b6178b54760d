import { NO_CAPACITY, NOT_OFFERED } from "./outcomes.js";
import { type ErrorRow, permanent, wait } from "./row.js";

/** Errors of instances, volumes, snapshots and images. */
export const computeErrors: ErrorRow[] = [
  [/^InstanceShuttingDown$/, wait("AWS to end the instance", 5, 30)],
  [
    /^(InvalidParameterValue|ValidationError)$/,
    wait("AWS to show the instance profile and its role everywhere", 5, 2),
    /iamInstanceProfile|IAM Instance Profile/i,
  ],
  [/^(IncorrectState$|InvalidInstanceID$)/, wait("AWS to finish an earlier change of it", 3, 10)],
  [/^VolumeInUse/, wait("AWS to release what depends on it", 3, 10)],
  [
    /^Invalid(InstanceID|LaunchTemplateId|LaunchTemplateName)\.NotFound$|^Invalid(Volume|Snapshot)\.NotFound$/,
    wait("AWS to show an object that was just made, unless it was removed", 2, 5),
  ],
  [/^SnapshotCreationPerVolumeRateExceeded$/, wait("AWS to take another snapshot of the volume", 15, 10)],
  [
    /^(ConcurrentSnapshotLimitExceeded|PendingSnapshotLimitExceeded)$/,
    wait("AWS to finish other snapshots of the account", 30, 60),
  ],
  [/^Insufficient(Instance|Host|Volume)?Capacity$/, NO_CAPACITY],
  [/^(Unsupported$|InvalidInstanceType)/, NOT_OFFERED],
  [
    /^ValidationError$/,
    permanent("AWS does not offer this flavor in a zone of the network"),
    /not supported in your requested Availability Zone/,
  ],
  [
    /^(UnsupportedOperation|UnsupportedHostConfiguration|InvalidInstanceID\.NotLinkable)$/,
    permanent("AWS does not support this for such an instance"),
  ],
  [/^(IncorrectInstanceState|InvalidState$)/, permanent("The instance is in no state in which AWS allows this")],
  [
    /^OperationNotPermitted$/,
    permanent("AWS protects the instance against termination or stop; the owner of the AWS account can lift that"),
  ],
  [/^InvalidBlockDeviceMapping$/, permanent("AWS does not accept these disks for the image of the server")],
  [/^InvalidSnapshot\.InUse$/, permanent("An image in the AWS account uses the snapshot; its owner can remove it")],
  [
    /^(InvalidAMIID\.|ParameterNotFound|ParameterVersionNotFound|InvalidKeyId)/,
    permanent("The image for servers does not exist in this region; Gantry's operator can name another"),
  ],
];
