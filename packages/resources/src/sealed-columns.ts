import { tableOf } from "@gantry/db";
import { resources } from "./catalogue.js";
import { modelOf, resourceTypes } from "./relations.js";
import { webhookFacts } from "./webhooks/webhook.facts.js";

/** A column of encrypted secrets. */
export interface SealedColumn {
  table: string;
  column: string;
  /** The primary key, and its type in PostgreSQL. */
  key: string;
  keyType: "integer" | "text" | "uuid";
  /** False if the rows belong to no account. */
  ofAccount: boolean;
}

/** Every column that a `Vault` encrypts. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: "installation_keys", column: "sealed", key: "name", keyType: "text", ofAccount: false },
  ...resourceTypes.flatMap((type) => sealedColumns(tableOf(modelOf(type)), resources[type])),
  ...sealedColumns("webhooks", webhookFacts),
];

function sealedColumns(
  table: string,
  { id, sealed = [] }: { id: "integer" | "uuid"; sealed?: readonly string[] },
): SealedColumn[] {
  return sealed.map((column) => ({ table, column, key: "id", keyType: id, ofAccount: true }));
}
