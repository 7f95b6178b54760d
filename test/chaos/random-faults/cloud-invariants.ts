import type { Db } from "@gantry/db";
import type { AwsAccount, AwsControl, FoundObject, Inventory, ObjectKind } from "@gantry/local-stack";

export interface CloudEvidence {
  db: Db;
  aws: AwsControl;
  accounts: AwsAccount[];
}

interface LedgerRow {
  id: string;
  kind: string;
  cloudId: string | null;
  removedAt: Date | null;
  requestId: string;
}

/** Compares the objects in AWS with the ledger and with the objects that failed Requests name as leaked. */
export async function compareCloud({ db, aws, accounts }: CloudEvidence) {
  const ledger = await db.$queryRaw<LedgerRow[]>`
    SELECT id::text, kind, cloud_id AS "cloudId", removed_at AS "removedAt", request_id::text AS "requestId"
    FROM cloud_objects`;
  const namedLeaks = await db.$queryRaw<{ kind: string; id: string }[]>`
    SELECT leak->>'kind' AS kind, leak->>'id' AS id FROM requests, jsonb_array_elements(leaked_resources) leak`;
  const objectsInLedger = new Map(
    ledger
      .filter(({ removedAt, cloudId }) => !removedAt && cloudId)
      .map((row) => [`${row.kind} ${lastPart(row.cloudId)}`, row]),
  );
  const tokens = new Map(ledger.filter(({ removedAt }) => !removedAt).map((row) => [row.id, row]));
  const leakNames = new Set(namedLeaks.map(({ kind, id }) => `${kind} ${lastPart(id)}`));
  const existing = new Set<string>();
  const duplicated: string[] = [];
  const leaked: string[] = [];
  for (const account of accounts) {
    const inventory = await aws.inventory(account);
    const byToken = new Map<string, string>();
    for (const [kind, found] of entriesOf(inventory)) {
      for (const object of found) {
        const name = `${kind} ${object.id}`;
        existing.add(name);
        const token = object.tags["gantry:token"];
        if (objectsInLedger.has(name) || leakNames.has(name) || isPartOf(object, kind, tokens, inventory)) {
          if (!token || tokens.get(token)?.kind !== kind) continue;
          const other = byToken.get(token);
          if (other) duplicated.push(`${name} and ${other}`);
          byToken.set(token, name);
        } else if (token && tokens.get(token)?.kind === kind) {
          duplicated.push(`${name}, in addition to ${tokens.get(token)?.cloudId}`);
        } else
          leaked.push(`${name} ${object.tags["gantry:resource"] ?? ""} of request ${object.tags["gantry:request"]}`);
      }
    }
  }
  const missing = [...objectsInLedger]
    .filter(([name]) => !existing.has(name))
    .map(([name, { requestId }]) => `${name} of ${requestId}`);
  return { duplicated, leaked, missing, objects: existing.size };
}

/** The kinds that pass their token to disks: an instance, and a launch template for the disks of its instances. */
const KINDS_WITH_DISKS: ReadonlySet<string | undefined> = new Set(["instance", "launch_template"]);

/** True for an object that AWS created with another one: the disk of an instance, or an instance of a scaling group. */
function isPartOf(
  { tags }: FoundObject,
  kind: ObjectKind,
  tokens: Map<string, LedgerRow>,
  inventory: Inventory,
): boolean {
  if (kind === "volume") return KINDS_WITH_DISKS.has(tokens.get(tags["gantry:token"] ?? "")?.kind);
  const group = tags["aws:autoscaling:groupName"];
  return kind === "instance" && inventory.auto_scaling_group.some(({ id }) => id === group);
}

/** The name in an ARN; any other id unchanged. */
function lastPart(id: string | null): string {
  return id?.startsWith("arn:") ? (id.split("/").at(-1) ?? "") : (id ?? "");
}

function entriesOf(inventory: Inventory): [ObjectKind, FoundObject[]][] {
  return Object.entries(inventory) as [ObjectKind, FoundObject[]][];
}
