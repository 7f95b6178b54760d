import { NO_CAPACITY, NOT_OFFERED } from "./outcomes.js";
import { absent, type ErrorRow, permanent, unlessGone, wait } from "./row.js";

/** Errors of instances, volumes, snapshots and images. */
export const computeErrors: ErrorRow[] = [
  [/^InstanceShuttingDown$/, wait("AWS to end the instance", 5, 30)],
  [
    /^(InvalidParameterValue|ValidationError)$/,
    unlessGone(wait("AWS to show the instance profile and its role everywhere", 5, 2)),
    /iamInstanceProfile|IAM Instance Profile/i,
  ],
  [/^(IncorrectState$|InvalidInstanceID$)/, unlessGone(wait("AWS to finish an earlier change to the object", 3, 10))],
  [/^VolumeInUse/, wait("AWS to release the objects that depend on this one", 3, 10)],
  [
    /^Invalid(InstanceID|LaunchTemplateId|LaunchTemplateName)\.NotFound$|^Invalid(Volume|Snapshot)\.NotFound$/,
    absent("AWS to show an object that was just created", 2, 5),
  ],
  [/^SnapshotCreationPerVolumeRateExceeded$/, wait("AWS to accept another snapshot of the volume", 15, 10)],
  [
    /^(ConcurrentSnapshotLimitExceeded|PendingSnapshotLimitExceeded)$/,
    wait("AWS to finish the account's other snapshots", 30, 60),
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
    permanent("AWS does not support this operation for this instance"),
  ],
  [
    /^(IncorrectInstanceState|InvalidState$)/,
    unlessGone(permanent("AWS does not allow this operation in the instance's current state; try again later")),
  ],
  [
    /^OperationNotPermitted$/,
    permanent("The instance has termination or stop protection; the owner of the AWS account can disable it"),
  ],
  [/^InvalidBlockDeviceMapping$/, permanent("AWS does not accept these disks for the server's image")],
  [/^InvalidSnapshot\.InUse$/, permanent("An image in the AWS account uses the snapshot; its owner can remove it")],
  [
    /^(InvalidAMIID\.|ParameterNotFound|ParameterVersionNotFound|InvalidKeyId)/,
    permanent("The image for servers does not exist in this region; Gantry's operator can configure another image"),
  ],
];
