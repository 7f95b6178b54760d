import { randomBytes } from "node:crypto";
import { DATABASE_STORAGE_TYPES, type DatabaseClassOffer, isAurora, MAX_VOLUME_GB } from "@gantry/aws-facts";
import { type Environment, insertInto, type Network, nextId, type Provider, type Tx, type Vault } from "@gantry/db";
import { field, type Tags } from "@gantry/resources";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import { strict } from "../../http/input/input.js";
import { nameText } from "../../http/input/names.js";
import { integerId, uuidOf } from "../../http/input/references.js";
import { mergedTags, ownTags } from "../../http/lists/tags.js";
import { requireStorage } from "../database-engines/database-engine.rules.js";
import { flavorName } from "../flavor-name.js";
import type { Zone } from "../providers/provider.rules.js";
import { plannedDatabaseServer } from "./database-server.plan.js";
import { serviceLevel } from "./database-service.levels.js";
import { backupWindowInput, type Windows, windowsFor } from "./database-service.windows.js";

const USERNAME = "gantry";

export const emailAlertLevel = z.int().min(1).max(3);

export const newService = strict({
  name: nameText.optional(),
  notes: field(z.string().max(5000).optional(), "the database of shop"),
  service_level: serviceLevel.default("community"),
  email_alert_level: emailAlertLevel.default(2),
  tags: ownTags,
});

export const newServer = strict({
  engine: field(z.string().optional(), "postgres"),
  version: field(z.string(), "16.4"),
  flavor: flavorName,
  location: field(z.string(), "us-east-1", "Zone id"),
  storage: field(z.int().min(1).max(MAX_VOLUME_GB).optional(), 100, "GB"),
  modifiers: strict({
    multi_az: z.boolean().optional(),
    storage_type: z.enum(DATABASE_STORAGE_TYPES).optional(),
    extended_support: z
      .boolean()
      .optional()
      .describe("True to run a version past its standard support, for which AWS charges"),
  }).optional(),
  backup_retention_period: field(z.int().min(1).max(35).default(7), 7, "Days"),
  backup_window: backupWindowInput.optional(),
  storage_encrypted: z.boolean().optional().describe("True by default if possible"),
  tags: ownTags,
});

export const databaseServiceInput = strict({
  provider: integerId("providers"),
  network: uuidOf("networks").optional(),
  environment: integerId("environments").optional().describe("The environment whose servers can connect"),
  database_service: newService.prefault({}),
  database_server: newServer,
});

interface DatabaseContext {
  provider: Provider;
  network: Network | null;
  environment: Environment | null;
  location: Zone;
  engine: string;
  /** The version that AWS names. */
  version: string;
  offer: DatabaseClassOffer;
  encrypted: boolean;
  vault: Vault;
  /** What a restored database has from its source. */
  inherited?: InheritedValues;
}

export interface InheritedValues {
  username: string | null;
  windows: Windows;
  /** The tags of the source and of its master. */
  tags: { service: Tags; server: Tags };
}

/** A random password. RDS refuses `/`, `@`, `"` and spaces, and MySQL more than 41 characters. */
export function newPassword(): string {
  return randomBytes(24).toString("base64url");
}

/** The inserts of a new database, which are its service, its master and its firewall, and its part of a plan. */
export async function databaseServiceRows(
  db: Tx,
  input: z.output<typeof databaseServiceInput>,
  context: DatabaseContext,
) {
  const { provider, network, environment, location, engine, version, offer, encrypted, vault, inherited } = context;
  const { database_service: serviceInput, database_server: serverInput } = input;
  const { accountId } = provider;
  const [id, masterId, firewallId] = [uuidv7(), uuidv7(), await nextId(db, "firewalls")];
  const common = { accountId, providerId: provider.id, region: location.region };
  const name = serviceInput.name ?? `${engine}-${id.slice(-8)}`;
  const { multi_az: multiAz = false } = serverInput.modifiers ?? {};
  const password = newPassword();
  const encryptPassword = (table: string, id: string) =>
    vault.encrypt(password, { table, column: "password", id, account: accountId });
  const inheritedTags = inherited?.tags.service ?? environment?.tags;
  const tags = mergedTags("database_service.tags", inheritedTags, serviceInput.tags);
  const engineFields = { engine, version, username: inherited ? inherited.username : USERNAME };
  const serviceRow = {
    ...common,
    ...engineFields,
    id,
    name,
    tags,
    notes: serviceInput.notes ?? null,
    networkId: network?.id ?? null,
    vpcProvisionedId: network?.provisionedId ?? null,
    vpcName: network?.name ?? null,
    environmentId: environment?.id ?? null,
    serviceLevel: serviceInput.service_level,
    emailAlertLevel: serviceInput.email_alert_level,
    masterFlavor: serverInput.flavor,
    masterMultiAz: isAurora(engine) ? null : multiAz,
    password: await encryptPassword("database_services", id),
  };
  const masterRow = {
    ...common,
    ...engineFields,
    ...(inherited?.windows ?? windowsFor(serverInput.backup_window)),
    id: masterId,
    tags: mergedTags("database_server.tags", inherited?.tags.server, tags, serverInput.tags),
    databaseServiceId: id,
    networkId: network?.id ?? null,
    location: location.zone,
    flavor: serverInput.flavor,
    multiAz,
    // RDS reports these values for Aurora.
    ...(isAurora(engine) ? { storageGb: 1, storageType: "aurora" } : requireStorage(offer, serverInput)),
    storageEncrypted: encrypted,
    backupRetentionPeriod: serverInput.backup_retention_period,
    password: await encryptPassword("database_servers", masterId),
  };
  const vpcProvisionedId = network?.provisionedId ?? null;
  const of = { databaseServiceId: id, tags };
  const firewallRow = { ...common, ...of, id: firewallId, vpcProvisionedId, name: `database-${name}` };
  return {
    id,
    name,
    rows: [
      insertInto("database_services", serviceRow),
      insertInto("database_servers", masterRow),
      insertInto("firewalls", firewallRow),
    ],
    planned: () => [plannedDatabaseServer(masterRow)],
  };
}
