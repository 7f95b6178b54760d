/** The limits of one type of EBS volume. */
interface VolumeLimits {
  sizeGb: readonly [min: number, max: number];
  /** The IOPS to choose from; absent if AWS sets them. */
  iops?: { readonly range: readonly [min: number, max: number]; readonly perGb: number; readonly required: boolean };
  /** MiB/s to choose from; absent if AWS sets them. */
  throughput?: readonly [min: number, max: number];
}

/**
 * AWS's limits for EBS volumes, read in November 2026. Sizes, IOPS and throughput: CreateVolume in the EC2 API reference, as
 * botocore 1.44.5 has it. IOPS for each GB: https://docs.aws.amazon.com/ebs/latest/userguide/ebs-volume-types.html
 */
const LIMITS = {
  gp2: { sizeGb: [1, 16_384] },
  gp3: { sizeGb: [1, 65_536], iops: { range: [3000, 80_000], perGb: 500, required: false }, throughput: [125, 2000] },
  io1: { sizeGb: [4, 16_384], iops: { range: [100, 64_000], perGb: 50, required: true } },
  io2: { sizeGb: [4, 65_536], iops: { range: [100, 256_000], perGb: 1000, required: true } },
  st1: { sizeGb: [125, 16_384] },
  sc1: { sizeGb: [125, 16_384] },
  standard: { sizeGb: [1, 1024] },
} as const satisfies Record<string, VolumeLimits>;

/** The speed of a gp3 volume that is made without one: "General Purpose SSD volumes" in the EBS user guide, read in November 2026. */
export const GP3_DEFAULTS = { iops: 3000, throughput: 125 } as const;

/**
 * The sizes in GB of the storage of a database that Gantry provisions, by its type; the first type of a flavor is the usual one.
 * CreateDBInstance in the RDS API reference, as botocore 1.44.5 has it, read in November 2026: the same for PostgreSQL and MySQL.
 */
const DATABASE_STORAGE_GB = {
  gp3: [20, 65_536],
  gp2: [20, 65_536],
  standard: [5, 3072],
} as const;

export type DatabaseStorageType = keyof typeof DATABASE_STORAGE_GB;

/** The types of storage of databases that Gantry provisions. */
export const DATABASE_STORAGE_TYPES = Object.keys(DATABASE_STORAGE_GB) as [
  DatabaseStorageType,
  ...DatabaseStorageType[],
];

/** The default size of a database's storage in GB. */
export const DEFAULT_DATABASE_STORAGE_GB = 20;

/** Returns the limit of AWS that the size of a database's storage violates; undefined if AWS can create it. */
export function exceededDatabaseStorage(type: DatabaseStorageType, sizeGb: number): string | undefined {
  const [min, max] = DATABASE_STORAGE_GB[type];
  return isWithin([min, max], sizeGb) ? undefined : `must be between ${min} and ${max} GB for storage of type ${type}`;
}

/** The IOPS of a database's gp3 storage to choose from, and the size from which RDS takes them: "gp3 storage" in the RDS user guide. */
export const DATABASE_GP3_IOPS = { range: [12_000, 64_000], fromGb: 400 } as const;

/** MiB/s of a gp3 volume for each of its IOPS, at most. */
const THROUGHPUT_PER_IOPS = 0.25;

export type VolumeType = keyof typeof LIMITS;

/** The types of EBS volumes. */
export const VOLUME_TYPES = Object.keys(LIMITS) as [VolumeType, ...VolumeType[]];

/** The size in GB of the largest volume of any type. */
export const MAX_VOLUME_GB = 65_536;

/** The largest IOPS in the configuration of a boot; a boot with more is accepted, and its Request fails. */
const MAX_BOOT_IOPS = 4000;

/** A volume to create. */
interface NewVolume {
  sizeGb: number;
  type?: string | undefined;
  iops?: number | undefined;
  /** MiB/s. */
  throughput?: number | undefined;
}

/** The default type of a volume: gp3, or io1 for fewer IOPS than any gp3 volume has. */
export function defaultVolumeType(iops: number | null | undefined): VolumeType {
  return iops == null || iops >= LIMITS.gp3.iops.range[0] ? "gp3" : "io1";
}

/**
 * Returns the first limit of AWS that a volume violates, with the subject of the message; undefined if AWS can create
 * it.
 */
export function exceededVolumeLimit(
  asked: NewVolume,
): { field: "size" | "type" | "iops" | "throughput"; message: string } | undefined {
  const type = (asked.type ?? defaultVolumeType(asked.iops)) as VolumeType;
  const { sizeGb, iops, throughput }: VolumeLimits = LIMITS[type];
  const ofType = `for a volume of type ${type}`;
  const range = ([min, max]: readonly [number, number], unit: string) =>
    `must be between ${min} and ${max}${unit} ${ofType}`;
  if (!isWithin(sizeGb, asked.sizeGb)) return { field: "size", message: range(sizeGb, " GB") };
  if (asked.iops === undefined && iops?.required) return { field: "type", message: `${type} requires iops` };
  if (asked.iops !== undefined) {
    if (!iops) return { field: "iops", message: `cannot be set ${ofType}` };
    if (!isWithin(iops.range, asked.iops)) return { field: "iops", message: range(iops.range, "") };
    // A gp3 volume has its least IOPS at any size.
    const most = Math.max(iops.perGb * asked.sizeGb, iops.required ? 0 : iops.range[0]);
    if (asked.iops > most) {
      return {
        field: "iops",
        message: `must be at most ${most} ${ofType} with ${asked.sizeGb} GB (${iops.perGb} per GB)`,
      };
    }
  }
  if (asked.throughput === undefined) return undefined;
  if (!throughput) return { field: "throughput", message: `cannot be set ${ofType}` };
  if (!isWithin(throughput, asked.throughput)) return { field: "throughput", message: range(throughput, " MiB/s") };
  const most = THROUGHPUT_PER_IOPS * (asked.iops ?? iops?.range[0] ?? 0);
  if (asked.throughput <= most) return undefined;
  return { field: "throughput", message: `must be at most ${most} MiB/s (${THROUGHPUT_PER_IOPS} per IOPS)` };
}

function isWithin([min, max]: readonly [number, number], value: number): boolean {
  return value >= min && value <= max;
}

/** Why a boot of servers with these IOPS fails, or undefined if it does not. */
export function exceededBootIops(volumes: readonly { iops?: number | null | undefined }[]): string | undefined {
  const iops = volumes.map((each) => each.iops ?? 0).find((each) => each > MAX_BOOT_IOPS);
  return iops === undefined
    ? undefined
    : `Volume IOPS limit exceeded: the maximum is ${MAX_BOOT_IOPS}, and ${iops} was asked for`;
}
