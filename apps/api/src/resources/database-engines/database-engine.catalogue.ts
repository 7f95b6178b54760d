import { z } from "zod";

/** The versions of each database engine. */
export const ENGINE_VERSIONS: Readonly<Record<string, string[]>> = {
  mysql: ["5.6.22", "5.6.23", "5.6.27", "5.6.29", "5.6.34", "5.6.35", "5.7.11", "5.7.16", "5.7.17"],
  postgres: ["9.4.7", "9.4.9", "9.4.11", "9.4.12", "9.5.2", "9.5.4", "9.5.6", "9.5.7", "9.6.3"],
  aurora: ["5.6.10a"],
};

const FLAVORS: readonly (readonly [apiName: string, description: string])[] = [
  ["db.t2.micro", "Burstable: 1 vCPU, 1 GiB"],
  ["db.t2.small", "Burstable: 1 vCPU, 2 GiB"],
  ["db.t2.medium", "Burstable: 2 vCPU, 4 GiB"],
  ["db.m3.medium", "General purpose: 1 vCPU, 3.75 GiB"],
  ["db.m3.large", "General purpose: 2 vCPU, 7.5 GiB"],
  ["db.m4.large", "General purpose: 2 vCPU, 8 GiB"],
  ["db.m4.xlarge", "General purpose: 4 vCPU, 16 GiB"],
  ["db.r3.large", "Memory optimized: 2 vCPU, 15.25 GiB"],
  ["db.r3.xlarge", "Memory optimized: 4 vCPU, 30.5 GiB"],
];

export const databaseFlavor = z.object({
  id: z.string(),
  api_name: z.string().describe("The value for `flavor`"),
  name: z.string(),
  description: z.string(),
});

/** The flavors of database servers. */
export const DATABASE_FLAVORS: z.infer<typeof databaseFlavor>[] = FLAVORS.map(([apiName, description]) => {
  const id = apiName.replaceAll(".", "_");
  return { id, api_name: apiName, name: id, description };
});
