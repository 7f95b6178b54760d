import { field } from "@gantry/resources";
import { z } from "zod";

const volume = z.object({
  name: field(z.string(), "shop"),
  type: field(z.string(), "gp3", "AWS's volume type, such as gp3"),
  size_gb: field(z.int(), 25),
  iops: field(z.int().optional(), 3000),
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
    count: field(z.int(), 2),
    max_count: field(z.int().optional(), 4, "The number to which AWS may raise the count automatically"),
    region: field(z.string(), "us-east-1"),
    zone: field(z.string().optional(), "us-east-1a", "Absent if AWS chooses it, or the resource belongs to a region"),
    role: field(z.string().optional(), "util"),
    flavor: field(z.string().optional(), "t3.medium"),
    dedicated: z.boolean().optional().describe("True for hardware that is not shared with other AWS accounts"),
    image_parameter: field(
      z.string().optional(),
      "/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64",
      "The AWS Systems Manager parameter that contains the image's id",
    ),
    public_address: z.boolean().optional(),
    volumes: z.array(volume).optional().describe("A server's disks, or a database's storage"),
    engine: field(z.string().optional(), "postgres"),
    version: field(z.string().optional(), "16.4"),
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
