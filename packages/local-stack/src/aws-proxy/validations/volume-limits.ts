import type { AwsError } from "../aws-response.js";

type Range = readonly [min: number, max: number];

interface Limits {
  sizeGib: Range;
  /** Undefined if the type accepts no IOPS. */
  iops?: Range;
  /** IOPS for each GiB at most. */
  ratio?: number;
  defaultIops?: number;
  throughput?: Range;
}

/**
 * Limits of EBS by volume type. Sizes, IOPS and throughput: the documentation of CreateVolume in the EC2 model of botocore
 * 1.44.5. Ratios: the EBS user guide and public issues that quote AWS's refusals, read in November 2026.
 */
export const VOLUME_LIMITS: Record<string, Limits> = {
  gp2: { sizeGib: [1, 16_384] },
  gp3: { sizeGib: [1, 65_536], iops: [3000, 80_000], ratio: 500, defaultIops: 3000, throughput: [125, 2000] },
  io1: { sizeGib: [4, 16_384], iops: [100, 64_000], ratio: 50 },
  io2: { sizeGib: [4, 65_536], iops: [100, 256_000], ratio: 1000 },
  st1: { sizeGib: [125, 16_384] },
  sc1: { sizeGib: [125, 16_384] },
  standard: { sizeGib: [1, 1024] },
};
const MAX_THROUGHPUT_PER_IOPS = 0.25;

/** A volume as a call asks for it; the size is undefined if a snapshot determines it. */
export interface RequestedVolume {
  type: string;
  sizeGib: number | undefined;
  iops: number | undefined;
  throughput: number | undefined;
}

/** Returns the error with which EC2 refuses a volume beyond EBS's limits, or undefined. */
export function checkVolume({ type, sizeGib, iops, throughput }: RequestedVolume): AwsError | undefined {
  const limits = VOLUME_LIMITS[type];
  if (!limits) return invalid(`The volume type ${type} has no limits here.`);
  const [min, max] = limits.sizeGib;
  if (sizeGib !== undefined && sizeGib < min)
    return invalid(`Volume of ${sizeGib}GiB is too small for volume type ${type}; minimum is ${min}GiB.`);
  if (sizeGib !== undefined && sizeGib > max)
    return invalid(`Volume of ${sizeGib}GiB is too large for volume type ${type}; maximum is ${max}GiB.`);
  return checkIops(type, limits, sizeGib, iops) ?? checkThroughput(limits, iops ?? limits.defaultIops ?? 0, throughput);
}

/** Returns the error with which EC2 refuses a modification of a volume, or undefined. A new type has EBS's default values. */
export function checkModification(
  volume: RequestedVolume,
  wanted: Omit<RequestedVolume, "type"> & { type: string | undefined },
): AwsError | undefined {
  if (wanted.sizeGib !== undefined && wanted.sizeGib < (volume.sizeGib ?? 0))
    return invalid("New size cannot be smaller than existing size");
  const type = wanted.type ?? volume.type;
  const isSameType = type === volume.type;
  const limits = VOLUME_LIMITS[type];
  return checkVolume({
    type,
    sizeGib: wanted.sizeGib ?? volume.sizeGib,
    iops: wanted.iops ?? (limits?.iops && (isSameType ? volume.iops : 3000)),
    throughput: wanted.throughput ?? (limits?.throughput && isSameType ? volume.throughput : undefined),
  });
}

function checkIops(type: string, limits: Limits, sizeGib = Number.POSITIVE_INFINITY, iops?: number) {
  if (!limits.iops)
    return iops === undefined ? undefined : combination(`The parameter iops is not supported for ${type} volumes.`);
  if (iops === undefined)
    return limits.defaultIops ? undefined : combination(`The parameter iops must be specified for ${type} volumes.`);
  const [min, max] = limits.iops;
  if (iops < min) return invalid(`Volume iops of ${iops} is too low; minimum is ${min}.`);
  if (iops > max) return invalid(`Volume iops of ${iops} is too high; maximum is ${max}.`);
  const ratio = iops / sizeGib;
  // Each gp3 volume has 3,000 IOPS, however small it is.
  return iops !== limits.defaultIops && ratio > (limits.ratio ?? 0)
    ? invalid(`Iops to volume size ratio of ${ratio.toFixed(6)} is too high; maximum is ${limits.ratio}`)
    : undefined;
}

function checkThroughput({ throughput: range }: Limits, iops: number, throughput: number | undefined) {
  if (throughput === undefined) return undefined;
  if (!range) return combination("throughput can only be specified for volumeType gp3.");
  const [min, max] = range;
  if (throughput < min) return invalid(`Throughput of ${throughput} is too low; minimum is ${min}.`);
  if (throughput > max) return invalid(`Throughput of ${throughput} is too high; maximum is ${max}.`);
  const ratio = throughput / iops;
  return ratio > MAX_THROUGHPUT_PER_IOPS
    ? invalid(`Throughput (MiBps) to iops ratio of ${ratio.toFixed(6)} is too high; maximum is 0.250000 MiBps per iops`)
    : undefined;
}

function invalid(message: string): AwsError {
  return { code: "InvalidParameterValue", message };
}

function combination(message: string): AwsError {
  return { code: "InvalidParameterCombination", message };
}
