import type { Alert } from "@gantry/db";
import { z } from "zod";
import { field, uuid } from "../declarations/fields.js";
import { isoOrNull, type Link, linkOrNull, maskUrlsIn, resource, timestamp } from "../declarations/record.js";
import { timestamps, timestampsOf } from "../declarations/timestamps.js";
import { linkTo } from "../links.js";

export const SEVERITIES = ["warning", "critical"] as const;
export const ALERT_TYPES = ["server", "database_server", "webhook"] as const;

export const alert = resource({
  name: "alert",
  plural: "alerts",
  deleted: "finishedAt",
  record: z
    .object({
      id: uuid,
      acknowledged: z.boolean(),
      ignored: z.boolean(),
      ...timestamps,
      started_at: timestamp.nullable(),
      finished_at: timestamp.nullable(),
      description: field(z.string(), "An example"),
      message: field(z.string(), "the instance is running"),
      name: field(z.string(), "shop"),
      external_id: field(z.string(), "check-17"),
      severity: field(z.string(), "warning", SEVERITIES.join(" or ")),
      resource: linkTo("servers"),
      type: field(z.string(), "server", ALERT_TYPES.join(" or ")),
      account: linkTo("accounts"),
      environment: linkTo("environments").nullable().describe("Null if it concerns no server"),
    })
    .meta({ id: "Alert" }),
  serialize: (row: Alert, link) => ({
    id: row.id,
    acknowledged: row.acknowledged,
    ignored: row.ignored,
    ...timestampsOf(row),
    started_at: isoOrNull(row.startedAt),
    finished_at: isoOrNull(row.finishedAt),
    description: row.description,
    // Alerts of older versions, and the events of them, name the whole URL.
    message: row.webhookId === null ? row.message : maskUrlsIn(row.message),
    name: row.name,
    external_id: row.externalId,
    severity: row.severity,
    ...placeOf(row, link),
    account: link("accounts", row.accountId),
    environment: linkOrNull(link, "environments", row.environmentId),
  }),
});

function placeOf({ serverId, databaseServerId, webhookId }: Alert, link: Link): { resource: string; type: string } {
  if (serverId !== null) return { resource: link("servers", serverId), type: "server" };
  if (databaseServerId !== null)
    return { resource: link("database-servers", databaseServerId), type: "database_server" };
  return { resource: link("webhooks", String(webhookId)), type: "webhook" };
}
