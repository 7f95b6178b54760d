import { z } from "zod";

const volume = z.object({
  name: z.string(),
  type: z.string().describe("AWS's volume type, such as gp3"),
  size_gb: z.int(),
  iops: z.int().optional(),
});

/** A resource that a Request would create, with what decides its price. */
export const plannedResource = z
  .object({
    kind: z.enum([
      "server",
      "auto_scaling_group",
      "volume",
      "address",
      "network",
      "subnet",
      "nat_gateway",
      "database_server",
    ]),
    count: z.int(),
    max_count: z.int().optional().describe("The number to which AWS may raise the count automatically"),
    region: z.string(),
    zone: z.string().optional().describe("Absent if AWS chooses it, or the resource belongs to a region"),
    role: z.string().optional(),
    flavor: z.string().optional(),
    dedicated: z.boolean().optional().describe("True for hardware that is not shared with other AWS accounts"),
    image_parameter: z.string().optional().describe("The AWS Systems Manager parameter that contains the image's id"),
    public_address: z.boolean().optional(),
    volumes: z.array(volume).optional().describe("A server's disks, or a database's storage"),
    engine: z.string().optional(),
    version: z.string().optional(),
    multi_az: z.boolean().optional(),
  })
  .meta({ id: "PlannedResource" });

export type PlannedResource = z.infer<typeof plannedResource>;

/** One entry for each kind and specification, with their number. */
export function groupEqual(resources: PlannedResource[]): PlannedResource[] {
  const groups = new Map<string, PlannedResource>();
  for (const { count, ...rest } of resources) {
    const key = JSON.stringify(rest);
    groups.set(key, { ...rest, count: count + (groups.get(key)?.count ?? 0) });
  }
  return [...groups.values()];
}
