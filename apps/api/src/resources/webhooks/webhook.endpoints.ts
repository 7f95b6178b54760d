import { Prisma, type Tx, type Webhook } from "@gantry/db";
import { EVENT_TYPES, field, maskUrl, webhook } from "@gantry/resources";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import { endpoint } from "../../http/endpoint.js";
import { strict } from "../../http/input/input.js";
import { asSent } from "../../http/input/verbatim.js";
import { anyOf, type Filter, text } from "../../http/lists/filters.js";
import { many } from "../../http/reply/list.js";
import { one, shownOnce } from "../../http/reply/reply.js";
import { asFields } from "../../http/rows/rows.js";
import { listChildren, listRecords, removeRecord, showRecord } from "../record-endpoints.js";
import {
  decryptWebhookSecret,
  encryptSecret,
  endDeliveries,
  finishAlerts,
  makeDue,
  newSecret,
  requireAddress,
  requireRoom,
} from "./webhook.rules.js";

const url = asSent(z.url().max(2000)).describe("The URL that receives a POST for each event");
const events = z
  .array(z.enum(EVENT_TYPES))
  .max(EVENT_TYPES.length)
  .describe("Only events of these types; all types if empty");
const description = field(z.string().max(500), "An example");

const withSecret = (status: number) => shownOnce("secret", { webhook: webhook.record }, status);

/**
 * Finds webhooks by their URLs as the caller sees them: a caller that cannot see the path and the query cannot find a
 * webhook by them.
 */
const urlFilter: Filter = {
  value: asSent(z.string()).describe("The whole URL; only the account's administrators can search by path and query"),
  condition: (urls, name, caller) => {
    const shown = urls?.filter((each) => maskUrl(each as string) === each) ?? null;
    return Prisma.sql`(${anyOf(name, shown)} OR (${anyOf(name, urls)} AND ${caller.administered()}))`;
  },
};

const list = many(webhook, { filters: { url: urlFilter, description: text } });

export const webhookEndpoints = [
  endpoint({
    route: "POST /accounts/:account/webhooks",
    summary: "Create a webhook, which receives an account's events, signed as Standard Webhooks specifies",
    access: "admin",
    transaction: true,
    body: strict({ webhook: strict({ url, events: events.default([]), description: description.default("") }) }),
    reply: withSecret(201),
    handle: async ({ params, body, caller, db, link, note, env, vault }) => {
      const { id: accountId } = await caller.find("account", params.account, "update");
      requireAddress(body.webhook.url, env.WEBHOOK_PRIVATE_ADDRESSES);
      await requireRoom(db, accountId);
      const [id, secret] = [uuidv7(), newSecret()];
      const row = await db.webhook.create({
        data: {
          ...body.webhook,
          id,
          accountId,
          secret: await encryptSecret(vault, { id, accountId }, "secret", secret),
          baseUrl: link().slice(0, -1),
          position: await presentPosition(db),
        },
      });
      note({ accountId, subject: `webhook/${id}` });
      return { webhook: { ...webhook.serialize(row, link), url: row.url }, secret };
    },
  }),

  listChildren("GET /accounts/:account/webhooks", "List an account's webhooks", list, "webhook", "account"),

  listRecords("GET /webhooks", "List webhooks", list, "webhook"),

  showRecord("GET /webhooks/:webhook", "Show a webhook", one(webhook), "webhook"),

  endpoint({
    route: "PUT /webhooks/:webhook",
    summary: "Change, disable or enable a webhook; events wait while it is disabled, and a new URL is tried at once",
    access: "admin",
    transaction: true,
    body: strict({
      webhook: strict({
        url: url.optional(),
        events: events.optional(),
        description: description.optional(),
        disabled: z.boolean().optional(),
      }),
    }),
    reply: one(webhook),
    handle: async ({ params, body, caller, db, env }) => {
      const found = await caller.findLive("webhook", params.webhook, "update");
      const { disabled, ...changes } = body.webhook;
      if (changes.url) requireAddress(changes.url, env.WEBHOOK_PRIVATE_ADDRESSES);
      const isMoved = changes.url !== undefined && changes.url !== found.url;
      const resumes = disabled === false || (isMoved && !found.disabledAt);
      const state = disabled ? disable(found) : resumes ? await resume(db, found) : {};
      return db.webhook.update({ where: { id: found.id }, data: { ...asFields(changes), ...state } });
    },
  }),

  removeRecord("DELETE /webhooks/:webhook", {
    summary: "Remove a webhook and cancel its pending deliveries",
    access: "admin",
    model: "webhook",
    also: async (db, { id }) => {
      await endDeliveries(db, id);
      await finishAlerts(db, id);
    },
  }),

  endpoint({
    route: "POST /webhooks/:webhook/rotate-secret",
    operation: "rotateWebhookSecret",
    summary: "Rotate a webhook's secret; the previous one also signs for a day",
    access: "admin",
    transaction: true,
    reply: withSecret(200),
    handle: async ({ params, caller, db, link, vault }) => {
      const found = await caller.findLive("webhook", params.webhook, "update");
      const secret = newSecret();
      const row = await db.webhook.update({
        where: { id: found.id },
        data: {
          secret: await encryptSecret(vault, found, "secret", secret),
          previousSecret: await encryptSecret(
            vault,
            found,
            "previous_secret",
            await decryptWebhookSecret(vault, found),
          ),
          previousSecretUntil: await inOneDay(db),
        },
      });
      return { webhook: { ...webhook.serialize(row, link), url: row.url }, secret };
    },
  }),
];

/** The cursor after the events that can be read by now. */
async function presentPosition(db: Tx): Promise<bigint> {
  const [row] = await db.$queryRaw<{ position: bigint }[]>`SELECT event_horizon() AS position`;
  return row?.position ?? 0n;
}

/** The end of the time for which the secret before a rotation signs too, by the database's clock, as in the worker. */
async function inOneDay(db: Tx): Promise<Date> {
  const [row] = await db.$queryRaw<[{ end: Date }]>`SELECT now() + interval '24 hours' AS "end"`;
  return row.end;
}

function disable({ disabledAt }: Webhook): Prisma.WebhookUpdateInput {
  return disabledAt ? {} : { disabledAt: new Date(), disabledReason: "its account disabled it" };
}

/** The changes of a webhook that make it deliver everything that waits at once, as if nothing had failed. */
async function resume(db: Tx, { id }: Webhook): Promise<Prisma.WebhookUpdateInput> {
  await finishAlerts(db, id);
  await makeDue(db, id);
  return { disabledAt: null, disabledReason: null, failures: 0, resumesAt: null };
}
