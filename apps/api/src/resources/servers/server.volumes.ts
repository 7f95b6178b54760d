import { exceededVolumeLimit, MAX_VOLUME_GB } from "@gantry/aws-facts";
import type { ServerSpec } from "@gantry/resources";
import { z } from "zod";
import { invalid } from "../../http/errors/errors.js";

/** The default size of a data volume in GB. */
export const DEFAULT_VOLUME_GB = 25;

/** The root disk of a server as the worker makes it: larger if the image or the snapshot needs more. */
export const ROOT_VOLUME = { name: "root", type: "gp3", size_gb: 16 } as const;

const sizeGb = z.int().min(1).max(MAX_VOLUME_GB);

/** The parameters of a new server's volumes. */
export const serverVolumes = {
  volume_size: sizeGb.default(DEFAULT_VOLUME_GB).describe("Size of the data volume in GB"),
  mnt_volume_size: sizeGb.optional().describe("Size in GB of a volume mounted at /mnt; no volume if omitted"),
  iops: z.int().min(1).optional().describe("For the data volume"),
  volume_type: z
    .enum(["gp2", "gp3", "io1", "io2"])
    .optional()
    .describe("For the data volume; by default gp3 or io1, depending on its IOPS"),
};

const FIELDS = { size: "volume_size", type: "volume_type", iops: "iops", throughput: "throughput" } as const;

/** @throws 422 if AWS cannot create the data volume or the /mnt volume */
export function requireCreatableVolumes({ path, volumeSizeGb, mntVolumeSizeGb, volumeType, iops }: ServerSpec): void {
  const data = { sizeGb: volumeSizeGb ?? DEFAULT_VOLUME_GB, type: volumeType, iops };
  const exceeded = exceededVolumeLimit(data);
  if (exceeded) throw invalid(`${path}.${FIELDS[exceeded.field]}`, exceeded.message);
  const mnt = mntVolumeSizeGb ? exceededVolumeLimit({ sizeGb: mntVolumeSizeGb }) : undefined;
  if (mnt) throw invalid(`${path}.mnt_volume_size`, mnt.message);
}
