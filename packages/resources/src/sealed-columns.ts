import { type Model, tableOf } from "@gantry/db";
import { resources } from "./catalogue.js";
import { idTypeOf } from "./declarations/collections.js";
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
  ...resourceTypes.flatMap((type) => sealedColumns(modelOf(type), resources[type])),
  ...sealedColumns("webhook", webhookFacts),
];

function sealedColumns(model: Model, { sealed = [] }: { sealed?: readonly string[] }): SealedColumn[] {
  const id = { table: tableOf(model), key: "id", keyType: idTypeOf(model) };
  return sealed.map((column) => ({ ...id, column, ofAccount: true }));
}
