import { MAX_VOLUME_GB } from "@gantry/aws-facts";
import { field, type ServerRole, type ServerSpec } from "@gantry/resources";
import { z } from "zod";
import { isRecord, strict } from "../../http/input/input.js";
import { machineName } from "../../http/input/names.js";
import { integerId, uuidOf } from "../../http/input/references.js";
import { flavorName } from "../flavor-name.js";

const MAX_SERVERS = 100;
const CONFIGURATION_PATH = "cluster_configuration.configuration";

// The specification sends sizes and IOPS as strings; integers are accepted too.
const wholeNumber = (max: number) =>
  z
    .union([z.int(), z.string().regex(/^\d{1,9}$/, "must be a whole number")])
    .transform(Number)
    .pipe(z.int().min(1).max(max));
const gigabytes = wholeNumber(MAX_VOLUME_GB).optional();
const iops = wholeNumber(1_000_000).optional().describe("A value above 4000 is accepted, but the request then fails");
const flavor = flavorName.optional().describe("The region's default if omitted");

const addressFields = {
  ip_id: integerId("addresses").optional().describe("An address for the first server"),
  host: z
    .union([z.boolean(), z.string().max(253)])
    .optional()
    .describe("A public hostname without a public address"),
};

const custom = strict({
  type: z.literal("custom"),
  apps: strict({
    count: field(z.int().min(1).max(MAX_SERVERS), 2),
    flavor,
    volume_size: gigabytes,
    mnt_volume_size: gigabytes,
  }),
  db_master: strict({ flavor, volume_size: gigabytes, mnt_volume_size: gigabytes, iops }).optional(),
  db_slaves: z
    .array(strict({ name: machineName.optional(), flavor, volume_size: gigabytes, mnt_volume_size: gigabytes, iops }))
    .max(MAX_SERVERS)
    .default([]),
  utils: z
    .array(strict({ name: machineName, flavor, volume_size: gigabytes, mnt_volume_size: gigabytes, iops }))
    .max(MAX_SERVERS)
    .default([]),
  ...addressFields,
});

const configuration = z.discriminatedUnion("type", [
  strict({ type: z.literal("solo"), ...addressFields }),
  strict({ type: z.literal("cluster"), ...addressFields }),
  strict({ type: z.enum(["production", "production-cluster"]), ...addressFields }),
  custom,
]);

// Clients that boot a blueprint send an empty configuration beside it.
function undefinedWhereEmpty(value: unknown): unknown {
  return isRecord(value) && Object.keys(value).length === 0 ? undefined : value;
}

/** The input of a boot: a configuration or a blueprint. */
export const clusterConfiguration = strict({
  blueprint_id: uuidOf("blueprints").optional(),
  configuration: z.preprocess(undefinedWhereEmpty, configuration.optional()),
  ...addressFields,
})
  .refine((input) => (input.blueprint_id === undefined) !== (input.configuration === undefined), {
    message: "must have either a blueprint_id or a configuration",
  })
  .meta({ examples: [{ configuration: { type: "cluster" } }] });

type Configuration = z.infer<typeof configuration>;

const defaultServers = (...roles: ServerRole[]): ServerSpec[] =>
  roles.map((role) => ({ path: CONFIGURATION_PATH, role }));

/** The servers of a configuration; the first one gets the address. */
export function serversOfConfiguration(configuration: Configuration): ServerSpec[] {
  switch (configuration.type) {
    case "solo":
      return defaultServers("solo");
    case "cluster":
      return defaultServers("app_master", "app", "db_master");
    case "production":
    case "production-cluster":
      return defaultServers("app_master", "app", "app", "db_master", "db_slave");
    case "custom":
      return customServers(configuration);
  }
}

function customServers({ apps, db_master: master, db_slaves: slaves, utils }: z.infer<typeof custom>): ServerSpec[] {
  const { count, ...app } = apps;
  return [
    ...Array.from({ length: count }, (_, i) => serverSpec(i === 0 ? "app_master" : "app", app, "apps")),
    ...(master ? [serverSpec("db_master", master, "db_master")] : []),
    ...slaves.map((slave, i) => serverSpec("db_slave", slave, `db_slaves.${i}`)),
    ...utils.map((util, i) => serverSpec("util", util, `utils.${i}`)),
  ];
}

interface ServerInput {
  name?: string | undefined;
  flavor?: string | undefined;
  volume_size?: number | undefined;
  mnt_volume_size?: number | undefined;
  iops?: number | undefined;
}

function serverSpec(role: ServerRole, input: ServerInput, part: string): ServerSpec {
  const { name, flavor, volume_size: volumeSizeGb, mnt_volume_size: mntVolumeSizeGb, iops } = input;
  return { path: `${CONFIGURATION_PATH}.${part}`, role, flavor, name, volumeSizeGb, mntVolumeSizeGb, iops };
}
