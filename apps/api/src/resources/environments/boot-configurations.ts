import type { ServerRole } from "@gantry/requests";
import { z } from "zod";
import { strict } from "../../http/input.js";
import { computeFlavorName } from "../compute-flavors/compute-flavors.js";
import type { WantedServer } from "../servers/new-servers.js";

const DEFAULT_FLAVOR = "m3.medium";
const MOST_SERVERS = 100;
const PATH = "cluster_configuration.configuration";

// Sizes and IOPS are strings in the specification; integers say the same.
const amount = (most: number) =>
  z
    .union([z.int(), z.string().regex(/^\d{1,9}$/, "must be a whole number")])
    .transform(Number)
    .pipe(z.int().min(1).max(most));
const gigabytes = amount(16_384).optional();
const iops = amount(1_000_000).optional().describe("More than 4000 is accepted, and fails the request");
const flavor = computeFlavorName.default(DEFAULT_FLAVOR);
const name = z.string().min(1).max(63);

const place = {
  ip_id: z.int().positive().optional().describe("An address for the first server"),
  host: z
    .union([z.boolean(), z.string().max(253)])
    .optional()
    .describe("Public hostname, no address"),
};

const custom = strict({
  type: z.literal("custom"),
  apps: strict({
    count: z.int().min(1).max(MOST_SERVERS),
    flavor,
    volume_size: gigabytes,
    mnt_volume_size: gigabytes,
  }),
  db_master: strict({ flavor, volume_size: gigabytes, mnt_volume_size: gigabytes, iops }).optional(),
  db_slaves: z
    .array(strict({ name: name.optional(), flavor, volume_size: gigabytes, mnt_volume_size: gigabytes, iops }))
    .max(MOST_SERVERS)
    .default([]),
  utils: z
    .array(strict({ name, flavor, volume_size: gigabytes, mnt_volume_size: gigabytes, iops }))
    .max(MOST_SERVERS)
    .default([]),
  ...place,
});

const configuration = z.discriminatedUnion("type", [
  strict({ type: z.literal("solo"), ...place }),
  strict({ type: z.literal("cluster"), ...place }),
  strict({ type: z.literal("production"), ...place }),
  custom,
]);

/** What an environment is booted with: a configuration, or a blueprint that was written down earlier. */
export const clusterConfiguration = strict({
  blueprint_id: z.uuid().optional(),
  configuration: configuration.optional(),
  ...place,
}).refine((given) => (given.blueprint_id === undefined) !== (given.configuration === undefined), {
  message: "takes either a blueprint_id or a configuration",
});

type Configuration = z.infer<typeof configuration>;

const plain = (...roles: ServerRole[]): WantedServer[] =>
  roles.map((role) => ({ path: PATH, role, flavor: DEFAULT_FLAVOR }));

/** The servers that a configuration stands for, the one that takes the address first. */
export function serversOf(configuration: Configuration): WantedServer[] {
  switch (configuration.type) {
    case "solo":
      return plain("solo");
    case "cluster":
      return plain("app_master", "app", "db_master");
    case "production":
      return plain("app_master", "app", "app", "db_master", "db_slave");
    case "custom":
      return customServers(configuration);
  }
}

function customServers({ apps, db_master: master, db_slaves: slaves, utils }: z.infer<typeof custom>): WantedServer[] {
  const { count, ...app } = apps;
  return [
    ...Array.from({ length: count }, (_, i) => server(i === 0 ? "app_master" : "app", app, "apps")),
    ...(master ? [server("db_master", master, "db_master")] : []),
    ...slaves.map((slave, i) => server("db_slave", slave, `db_slaves.${i}`)),
    ...utils.map((util, i) => server("util", util, `utils.${i}`)),
  ];
}

interface GivenServer {
  name?: string | undefined;
  flavor: string;
  volume_size?: number | undefined;
  mnt_volume_size?: number | undefined;
  iops?: number | undefined;
}

function server(role: ServerRole, given: GivenServer, part: string): WantedServer {
  const { name, flavor, volume_size: volumeSizeGb, mnt_volume_size: mntVolumeSizeGb, iops } = given;
  return { path: `${PATH}.${part}`, role, flavor, name, volumeSizeGb, mntVolumeSizeGb, iops };
}
