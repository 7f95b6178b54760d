import type { Alert } from "@gantry/db";
import { z } from "zod";
import { field, uuid } from "../declarations/fields.js";
import { type Link, linkTo } from "../declarations/links.js";
import { wireRecord } from "../declarations/record.js";
import { timestamp, timestamps } from "../declarations/timestamps.js";
import { maskUrlsIn } from "../declarations/urls.js";

export const SEVERITIES = ["warning", "critical"] as const;
export const ALERT_TYPES = ["server", "database_server", "webhook"] as const;

export const alert = wireRecord({
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
  computed: (row: Alert, link) => ({
    // Alerts of older versions, and the events of them, name the whole URL.
    message: row.webhookId === null ? row.message : maskUrlsIn(row.message),
    ...placeOf(row, link),
  }),
});

function placeOf({ serverId, databaseServerId, webhookId }: Alert, link: Link): { resource: string; type: string } {
  if (serverId !== null) return { resource: link("servers", serverId), type: "server" };
  if (databaseServerId !== null)
    return { resource: link("database-servers", databaseServerId), type: "database_server" };
  return { resource: link("webhooks", String(webhookId)), type: "webhook" };
}
