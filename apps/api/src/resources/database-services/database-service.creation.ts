import { randomBytes } from "node:crypto";
import { DATABASE_STORAGE_TYPES, type DatabaseClassOffer, isAurora, MAX_VOLUME_GB } from "@gantry/aws-facts";
import {
  type DatabaseService,
  type Environment,
  insertInto,
  type Network,
  nextId,
  type Provider,
  type Tx,
  type Vault,
} from "@gantry/db";
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
  deletion_protection: z.boolean().optional().describe("True to refuse removals of the database"),
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
  /** The chosen IOPS of its storage; null for those that RDS gives. */
  iops: number | null;
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
  const masterId = uuidv7();
  const common = { accountId, providerId: provider.id, region: location.region };
  const { multi_az: multiAz = false } = serverInput.modifiers ?? {};
  const inheritedTags = inherited?.tags.service ?? environment?.tags;
  const tags = mergedTags("database_service.tags", inheritedTags, serviceInput.tags);
  const engineFields = { engine, version, username: inherited ? inherited.username : USERNAME };
  const { id, name, password, rows } = await serviceRows(db, vault, {
    ...common,
    ...engineFields,
    name: serviceInput.name,
    tags,
    notes: serviceInput.notes ?? null,
    networkId: network?.id ?? null,
    vpcProvisionedId: network?.provisionedId ?? null,
    vpcName: network?.name ?? null,
    environmentId: environment?.id ?? null,
    serviceLevel: serviceInput.service_level,
    emailAlertLevel: serviceInput.email_alert_level,
    deletionProtection: serviceInput.deletion_protection ?? false,
    masterFlavor: serverInput.flavor,
    masterMultiAz: isAurora(engine) ? null : multiAz,
  });
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
    iops: inherited?.iops ?? null,
    storageEncrypted: encrypted,
    backupRetentionPeriod: serverInput.backup_retention_period,
    password: await vault.encrypt(password, passwordOf("database_servers", { id: masterId, accountId })),
  };
  return {
    id,
    name,
    rows: [...rows, insertInto("database_servers", masterRow)],
    planned: () => [plannedDatabaseServer(masterRow)],
  };
}

/** The columns of a new database that do not follow from others. */
type ServiceColumns = Pick<
  DatabaseService,
  | "accountId"
  | "providerId"
  | "region"
  | "engine"
  | "version"
  | "username"
  | "notes"
  | "networkId"
  | "vpcProvisionedId"
  | "vpcName"
  | "environmentId"
  | "serviceLevel"
  | "emailAlertLevel"
  | "masterFlavor"
  | "masterMultiAz"
> &
  Partial<Pick<DatabaseService, "deletionProtection">> & { name: string | undefined; tags: Tags };

/** The inserts of a new database without its master: its service with a new password, and its firewall. */
export async function serviceRows(db: Tx, vault: Vault, columns: ServiceColumns) {
  const [id, firewallId, password] = [uuidv7(), await nextId(db, "firewalls"), newPassword()];
  const { accountId, providerId, region, engine, vpcProvisionedId, tags } = columns;
  const name = columns.name ?? `${engine}-${id.slice(-8)}`;
  const sealed = await vault.encrypt(password, passwordOf("database_services", { id, accountId }));
  const firewallRow = { accountId, providerId, region, id: firewallId, databaseServiceId: id, vpcProvisionedId, tags };
  return {
    id,
    name,
    password,
    rows: [
      insertInto("database_services", { ...columns, id, name, password: sealed }),
      insertInto("firewalls", { ...firewallRow, name: `database-${name}` }),
    ],
  };
}

function passwordOf(
  table: "database_services" | "database_servers",
  { id, accountId }: { id: string; accountId: string },
) {
  return { table, column: "password", id, account: accountId };
}
