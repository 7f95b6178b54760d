import { z } from "zod";
import { field } from "../declarations/fields.js";
import { wireRecord } from "../declarations/record.js";
import { isoOrNull, timestamp } from "../declarations/timestamps.js";

/** A flavor of servers, and the zones that offer it. */
export interface ComputeFlavor {
  name: string;
  /** The zones that offer it; null if the offers of no region have been read yet. */
  zones: string[] | null;
  vcpus: number | null;
  memoryMib: number | null;
  architecture: string;
  isBurstable: boolean;
  ebsOptimized: boolean;
  /** The time at which AWS named the zones. */
  readAt: Date | null;
}

const KINDS: Readonly<Record<string, string>> = {
  t: "Burstable",
  m: "General purpose",
  c: "Compute optimized",
  r: "Memory optimized",
};

export const computeFlavor = wireRecord({
  name: "flavor",
  plural: "flavors",
  record: z
    .object({
      id: field(z.string(), "1"),
      api_name: field(z.string(), "t3.medium", "The value for `flavor`"),
      name: field(z.string(), "shop"),
      description: field(z.string(), "An example"),
      dedicated: z.boolean(),
      volume_optimized: z.boolean(),
      architecture: field(z.int(), 1),
      processor: z.enum(["x86_64", "arm64"]),
      vcpus: field(z.int().nullable(), 2),
      memory: field(z.number().nullable(), 4, "GiB"),
      zones: field(z.array(z.string()).nullable(), ["us-east-1a"], "Null until Gantry has read it from AWS"),
      read_at: timestamp.nullable().describe("When Gantry read the zones from AWS"),
    })
    .meta({ id: "ComputeFlavor" }),
  computed: ({ name, vcpus, memoryMib, architecture, ebsOptimized, zones, readAt }: ComputeFlavor) => {
    const id = name.replace(".", "_");
    const memory = memoryMib === null ? null : memoryMib / 1024;
    const kind = KINDS[name.slice(0, 1)] ?? "Other";
    const size = vcpus === null ? "" : `: ${vcpus} vCPU, ${memory} GiB`;
    const processor = architecture === "arm64" ? ("arm64" as const) : ("x86_64" as const);
    return {
      id,
      api_name: name,
      name: id,
      description: `${kind}${size}${processor === "arm64" ? ", ARM" : ""}`,
      dedicated: false,
      volume_optimized: ebsOptimized,
      architecture: 64,
      processor,
      vcpus,
      memory,
      zones,
      read_at: isoOrNull(readAt),
    };
  },
});
