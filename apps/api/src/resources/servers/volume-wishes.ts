import { z } from "zod";

/** AWS's limits for one volume of the kind that takes IOPS. */
const MOST_IOPS = 4000;
const MOST_IOPS_PER_GB = 50;
const MOST_GB = 16_384;

const sizeGb = z.int().min(1).max(MOST_GB);

/** What may be said of a new server's volumes. */
const shape = {
  volume_size: sizeGb.default(25).describe("GB of the volume for its data"),
  mnt_volume_size: sizeGb.optional().describe("GB of a further volume; none where absent"),
  iops: z.int().min(100).max(MOST_IOPS, `the maximum is ${MOST_IOPS}`).optional(),
  volume_type: z.enum(["gp2", "gp3", "io1"]).optional(),
};

interface Wishes {
  volume_size: number;
  iops?: number | undefined;
  volume_type?: string | undefined;
}

/** Holds what is said of the volume for the data to what AWS can make of it. */
function fit<Schema extends z.ZodType<Wishes>>(schema: Schema): Schema {
  return schema.superRefine((given, context) => {
    const { volume_size: size, iops, volume_type: type = iops === undefined ? "gp2" : "io1" } = given as Wishes;
    const refuse = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
    if (type === "io1" && iops === undefined) refuse("volume_type", "io1 needs iops");
    if (type === "gp2" && iops !== undefined) refuse("iops", "cannot be chosen for a volume of type gp2");
    if (type === "io1" && iops !== undefined && iops > size * MOST_IOPS_PER_GB) {
      refuse("iops", `at most ${MOST_IOPS_PER_GB} for each GB of volume_size`);
    }
  });
}

export const volumeWishes = { shape, fit };
