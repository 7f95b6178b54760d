import { VOLUME_LIMITS } from "@gantry/requests";
import { z } from "zod";

const { minIops, maxIops, maxIopsPerGb, maxSizeGb } = VOLUME_LIMITS;

const sizeGb = z.int().min(1).max(maxSizeGb);

/** The parameters of a new server's volumes. */
const shape = {
  volume_size: sizeGb.default(25).describe("GB of the data volume"),
  mnt_volume_size: sizeGb.optional().describe("GB of the volume mounted at /mnt; no such volume where absent"),
  iops: z.int().min(minIops).max(maxIops, `the maximum is ${maxIops}`).optional(),
  volume_type: z.enum(["gp2", "gp3", "io1"]).optional(),
};

interface VolumeInput {
  volume_size: number;
  iops?: number | undefined;
  volume_type?: string | undefined;
}

/** Refuses a data volume that AWS cannot create. */
function refine<Schema extends z.ZodType<VolumeInput>>(schema: Schema): Schema {
  return schema.superRefine((input, context) => {
    const { volume_size: size, iops, volume_type: type = iops === undefined ? "gp2" : "io1" } = input as VolumeInput;
    const addIssue = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
    if (type === "io1" && iops === undefined) addIssue("volume_type", "io1 needs iops");
    if (type === "gp2" && iops !== undefined) addIssue("iops", "cannot be chosen for a volume of type gp2");
    if (type === "io1" && iops !== undefined && iops > size * maxIopsPerGb) {
      addIssue("iops", `at most ${maxIopsPerGb} for each GB of volume_size`);
    }
  });
}

export const serverVolumes = { shape, refine };
