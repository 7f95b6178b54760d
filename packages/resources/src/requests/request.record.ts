import { z } from "zod";
import { type ResourceType, resources } from "../catalogue.js";
import { ago, iso, isoOrNull, type Link, resource, timestamp } from "../declarations/record.js";
import { type InputOf, REQUEST_TYPE_NAMES, type RequestTypeName, requestTypeDefinition } from "../request-types.js";
import type { AcceptedRequest } from "./request.row.js";
import { percentOf, REQUEST_STATES, stateOf } from "./request.state.js";

const EXAMPLE_URL = "http://127.0.0.1:3000/requests/0190c4a2-5555-7555-8555-555555555555";
const EXAMPLE_NETWORK = "0190c4a2-6666-7666-8666-666666666666";

/** A Request just after its acceptance. */
const EXAMPLE = {
  type: "provision_network",
  id: EXAMPLE_URL.split("/").at(-1),
  created_at: "2026-11-24T09:00:00+00:00",
  started_at: null,
  finished_at: null,
  updated_at: "2026-11-24T09:00:00+00:00",
  message: null,
  request_status: "Pending: Provision network (0190c4a2-5555-7555-8555-555555555555)",
  successful: false,
  read_channel: null,
  stage: null,
  dependencies: `${EXAMPLE_URL}/dependencies`,
  stages: `${EXAMPLE_URL}/stages`,
  account: "http://127.0.0.1:3000/accounts/0190c4a2-1111-7111-8111-111111111111",
  requester: `${EXAMPLE_URL}/requester`,
  messages: `${EXAMPLE_URL}/messages`,
  callback_url: `${EXAMPLE_URL}/callback`,
  progress: false,
  state: "pending",
  percent: 0,
  action: null,
  subject: {
    type: "network",
    id: EXAMPLE_NETWORK,
    url: `http://127.0.0.1:3000/networks/${EXAMPLE_NETWORK}`,
  },
  resource: `http://127.0.0.1:3000/networks/${EXAMPLE_NETWORK}`,
};

export const request = resource({
  name: "request",
  plural: "requests",
  record: z
    .object({
      type: z.enum(REQUEST_TYPE_NAMES),
      id: z.uuid(),
      created_at: timestamp,
      started_at: timestamp.nullable().describe("Null until a worker starts it"),
      finished_at: timestamp.nullable().describe("Null until it finishes"),
      updated_at: timestamp,
      message: z.string().nullable().describe("What went wrong"),
      request_status: z.string().optional().describe("A summary for people; absent for some types"),
      successful: z.boolean(),
      read_channel: z.string().nullable(),
      stage: z.string().nullable().describe("The last stage reached"),
      dependencies: z.url().nullable(),
      stages: z.url().nullable(),
      account: z.url(),
      requester: z.url(),
      messages: z.url(),
      callback_url: z.url(),
      progress: z.boolean().describe("Always false; see `percent` for the progress"),
      state: z.enum(REQUEST_STATES).describe("`finished`, `failed` and `cancelled` are final"),
      percent: z.int().min(0).max(100).describe("The share of its stages that are done; 100 only if it succeeded"),
      action: z
        .enum(["apply", "start", "stop", "reboot"])
        .nullable()
        .describe("What an `instance_update` does; null for other types"),
      subject: z
        .object({
          type: z.string().describe("Such as `server`"),
          id: z.union([z.int(), z.uuid()]),
          url: z.url(),
        })
        .nullable()
        .describe("The record that it works on, even if `resource` is false"),
      resource: z.union([z.url(), z.literal(false)]).describe("False if no record remains"),
    })
    .meta({ id: "Request", example: EXAMPLE }),
  serialize: (row: AcceptedRequest, link, _secret, at) => {
    const isQuiet = requestTypeDefinition(row.type)?.quiet ?? false;
    const own = (part: string) => link("requests", row.id, part);
    return {
      type: row.type as RequestTypeName,
      id: row.id,
      created_at: iso(row.createdAt),
      started_at: isoOrNull(row.startedAt),
      finished_at: isoOrNull(row.finishedAt),
      updated_at: iso(row.updatedAt),
      message: row.message,
      ...(!isQuiet && { request_status: statusOf(row, at) }),
      successful: row.successful,
      read_channel: null,
      stage: isQuiet ? null : row.stage,
      dependencies: isQuiet ? null : own("dependencies"),
      stages: isQuiet ? null : own("stages"),
      account: link("accounts", row.accountId),
      requester: requesterOf(row, link),
      messages: own("messages"),
      callback_url: own("callback"),
      progress: false,
      state: stateOf(row),
      percent: percentOf(row),
      action: actionOf(row),
      subject: subjectOf(row, link),
      resource: resourceOf(row, link),
    };
  },
});

function requesterOf({ id, userId, parentId }: AcceptedRequest, link: Link): string {
  if (userId) return link("requests", id, "requester");
  return parentId ? link("requests", parentId) : link("automation");
}

function resourceOf({ type, resourceType, resourceId }: AcceptedRequest, link: Link): string | false {
  if (!resourceType || !resourceId || !requestTypeDefinition(type)?.keepsResource) return false;
  return link(resources[resourceType as ResourceType].collection, resourceId);
}

function actionOf({ type, input }: AcceptedRequest) {
  return type === "instance_update" ? ((input as Partial<InputOf<"instance_update">>).action ?? null) : null;
}

function subjectOf({ resourceType, resourceId }: AcceptedRequest, link: Link) {
  if (!resourceType || !resourceId) return null;
  const { collection, id } = resources[resourceType as ResourceType];
  return {
    type: resourceType,
    id: id === "integer" ? Number(resourceId) : resourceId,
    url: link(collection, resourceId),
  };
}

function statusOf(row: AcceptedRequest, at: Date | undefined): string {
  const name = `${requestTypeDefinition(row.type)?.title ?? row.type} (${row.id})`;
  if (row.finishedAt && row.successful) return `Finished: ${name} (${ago(row.finishedAt, at)})`;
  if (row.finishedAt && row.cancelRequestedAt) return `Cancelled: ${name}`;
  if (row.finishedAt) return `Failed: ${name}. Error: ${row.message}`;
  if (!row.startedAt) return `Pending: ${name}`;
  const awaited = row.awaitedChildren > 0 ? `${row.awaitedChildren} child Requests to finish` : row.waitingFor;
  return awaited ? `Waiting: ${name}. Waiting for ${awaited}` : `In progress: ${name}`;
}
