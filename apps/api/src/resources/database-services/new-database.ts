import { randomBytes } from "node:crypto";
import { type Environment, insertInto, type Network, nextId, type Provider, type Tx, type Vault } from "@gantry/db";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import { strict } from "../../http/input.js";
import { AURORA } from "../database-engines/offers.js";
import type { Spot } from "./database-service.rules.js";
import { serviceLevel } from "./service-levels.js";
import { backupWindowInput, windowsOf } from "./windows.js";

const USERNAME = "gantry";

export const serviceName = z.string().min(1).max(200);
export const emailAlertLevel = z.int().min(1).max(3);

const service = strict({
  name: serviceName.optional(),
  notes: z.string().max(5000).optional(),
  service_level: serviceLevel.default("community"),
  email_alert_level: emailAlertLevel.default(2),
});

const server = strict({
  engine: z.string().optional(),
  version: z.string(),
  flavor: z.string(),
  location: z.string().describe("Zone id"),
  storage: z.int().min(20).max(16_384).optional().describe("GB"),
  modifiers: strict({
    multi_az: z.boolean().optional(),
    storage_type: z.enum(["gp2", "gp3", "standard"]).optional(),
  }).optional(),
  backup_retention_period: z.int().min(1).max(35).default(7).describe("Days"),
  backup_window: backupWindowInput.optional(),
  storage_encrypted: z.boolean().default(false),
});

export const newDatabase = strict({
  provider: z.int(),
  network: z.uuid().optional(),
  environment: z.int().optional().describe("The environment whose servers may reach it"),
  database_service: service.prefault({}),
  database_server: server,
});

interface Around {
  provider: Provider;
  network: Network | null;
  environment: Environment | null;
  spot: Spot;
  engine: string;
  vault: Vault;
}

/** The statements that write a new database: its service, its master and the firewall around it. */
export async function rowsOf(db: Tx, wanted: z.output<typeof newDatabase>, around: Around) {
  const { provider, network, environment, spot, engine, vault } = around;
  const { database_service: given, database_server: asked } = wanted;
  const { accountId } = provider;
  const [id, masterId, firewallId] = [uuidv7(), uuidv7(), await nextId(db, "firewalls")];
  const common = { accountId, providerId: provider.id, region: spot.region };
  const name = given.name ?? `${engine}-${id.slice(-8)}`;
  const { multi_az: multiAz = false, storage_type: storageType = "gp2" } = asked.modifiers ?? {};
  // RDS takes none of `/`, `@`, `"` and spaces, and MySQL no more than 41 characters.
  const password = randomBytes(24).toString("base64url");
  const seal = (table: string, id: string) =>
    vault.seal(password, { table, column: "password", id, account: accountId });
  const kind = { engine, version: asked.version, username: USERNAME };
  const serviceRow = {
    ...common,
    ...kind,
    id,
    name,
    notes: given.notes ?? null,
    networkId: network?.id ?? null,
    vpcProvisionedId: network?.provisionedId ?? null,
    vpcName: network?.name ?? null,
    environmentId: environment?.id ?? null,
    serviceLevel: given.service_level,
    emailAlertLevel: given.email_alert_level,
    masterFlavor: asked.flavor,
    masterMultiAz: engine === AURORA ? null : multiAz,
    password: await seal("database_services", id),
  };
  const masterRow = {
    ...common,
    ...kind,
    ...windowsOf(asked.backup_window),
    id: masterId,
    databaseServiceId: id,
    networkId: network?.id ?? null,
    location: spot.zone,
    flavor: asked.flavor,
    multiAz,
    // What RDS itself says of Aurora's storage.
    ...(engine === AURORA ? { storageGb: 1, storageType: AURORA } : { storageGb: asked.storage ?? 20, storageType }),
    storageEncrypted: asked.storage_encrypted,
    backupRetentionPeriod: asked.backup_retention_period,
    password: await seal("database_servers", masterId),
  };
  const vpcProvisionedId = network?.provisionedId ?? null;
  const firewallRow = { ...common, id: firewallId, vpcProvisionedId, databaseServiceId: id, name: `database-${name}` };
  return {
    id,
    name,
    rows: [
      insertInto("database_services", serviceRow),
      insertInto("database_servers", masterRow),
      insertInto("firewalls", firewallRow),
    ],
  };
}
