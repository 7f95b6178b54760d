import { z } from "zod";
import { resource } from "../../http/resource.js";

interface Flavor {
  apiName: string;
  description: string;
}

const FLAVORS: readonly Flavor[] = [
  ["m3.medium", "General purpose: 1 vCPU, 3.75 GiB"],
  ["m3.large", "General purpose: 2 vCPU, 7.5 GiB"],
  ["m3.xlarge", "General purpose: 4 vCPU, 15 GiB"],
  ["c4.large", "Compute optimized: 2 vCPU, 3.75 GiB"],
  ["c4.xlarge", "Compute optimized: 4 vCPU, 7.5 GiB"],
  ["c3.large", "Compute optimized: 2 vCPU, 3.75 GiB, SSD"],
  ["c3.xlarge", "Compute optimized: 4 vCPU, 7.5 GiB, SSD"],
  ["r3.large", "Memory optimized: 2 vCPU, 15.25 GiB"],
  ["r3.xlarge", "Memory optimized: 4 vCPU, 30.5 GiB"],
  ["t2.micro", "Burstable: 1 vCPU, 1 GiB"],
  ["t2.small", "Burstable: 1 vCPU, 2 GiB"],
  ["t2.medium", "Burstable: 2 vCPU, 4 GiB"],
  ["t2.large", "Burstable: 2 vCPU, 8 GiB"],
  ["t2.xlarge", "Burstable: 4 vCPU, 16 GiB"],
  ["m4.large", "General purpose: 2 vCPU, 8 GiB"],
  ["m4.xlarge", "General purpose: 4 vCPU, 16 GiB"],
  ["r4.large", "Memory optimized: 2 vCPU, 15.25 GiB"],
  ["r4.xlarge", "Memory optimized: 4 vCPU, 30.5 GiB"],
].map(([apiName = "", description = ""]) => ({ apiName, description }));

/** The flavors of servers. */
export const computeFlavors: Flavor[] = [...FLAVORS];

const FLAVOR_NAMES: ReadonlySet<string> = new Set(FLAVORS.map(({ apiName }) => apiName));

/** The `api_name` of a flavor. */
export const computeFlavorName = z.string().refine((name) => FLAVOR_NAMES.has(name), "is not a known flavor");

export const computeFlavor = resource({
  name: "flavor",
  plural: "flavors",
  record: z
    .object({
      id: z.string(),
      api_name: z.string().describe("The value for `flavor`"),
      name: z.string(),
      description: z.string(),
      dedicated: z.boolean(),
      volume_optimized: z.boolean(),
      architecture: z.int(),
    })
    .meta({ id: "ComputeFlavor" }),
  serialize: ({ apiName, description }: Flavor) => {
    const id = apiName.replace(".", "_");
    const isVolumeOptimized = /^(m4|r4|c4)\./.test(apiName);
    return {
      id,
      api_name: apiName,
      name: id,
      description,
      dedicated: false,
      volume_optimized: isVolumeOptimized,
      architecture: 64,
    };
  },
});
