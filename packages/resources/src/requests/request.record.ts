import { z } from "zod";
import type { ResourceType } from "../catalogue.js";
import { collectionOf, idTypeOf } from "../declarations/collections.js";
import { EXAMPLE_UUID, field, uuid } from "../declarations/fields.js";
import { type Link, linkBelow, linkTo } from "../declarations/links.js";
import { wireRecord } from "../declarations/record.js";
import { ago, timestamp } from "../declarations/timestamps.js";
import type { AcceptedRequest } from "./request.row.js";
import { percentOf, REQUEST_STATES, stateOf } from "./request.state.js";
import { type InputOf, REQUEST_TYPE_NAMES, type RequestTypeName, requestTypeDefinition } from "./request-types.js";

const REQUESTER_TYPES = ["user", "service", "parent", "automation"] as const;

export const request = wireRecord({
  name: "request",
  plural: "requests",
  record: z
    .object({
      type: field(z.enum(REQUEST_TYPE_NAMES), "provision_network"),
      id: uuid,
      created_at: timestamp,
      started_at: field(timestamp.nullable(), null, "Null until a worker starts it"),
      finished_at: field(timestamp.nullable(), null, "Null until it finishes"),
      updated_at: timestamp,
      message: field(z.string().nullable(), null, "What went wrong"),
      request_status: field(
        z.string().optional(),
        `Pending: Provision network (${EXAMPLE_UUID})`,
        "A summary for people; absent for some types",
      ),
      successful: field(z.boolean(), false),
      read_channel: field(z.string().nullable(), null),
      stage: field(z.string().nullable(), null, "The last stage reached"),
      dependencies: linkBelow("requests", "dependencies").nullable(),
      stages: linkBelow("requests", "stages").nullable(),
      account: linkTo("accounts"),
      requester: linkBelow("requests", "requester"),
      requested_by: z
        .object({ type: z.enum(REQUESTER_TYPES), id: field(uuid.nullable(), EXAMPLE_UUID) })
        .describe("Who created it"),
      trace_id: field(z.string(), "4bf92f3577b34da6a3ce929d0e0e4736"),
      parent: linkTo("requests").nullable().describe("The Request that created it; null for others"),
      messages: linkBelow("requests", "messages"),
      callback_url: linkBelow("requests", "callback"),
      progress: field(z.boolean(), false, "Always false; see `percent` for the progress"),
      state: z.enum(REQUEST_STATES).describe("`finished`, `failed` and `cancelled` are final"),
      percent: field(z.int().min(0).max(100), 0, "The share of its stages that are done; 100 only if it succeeded"),
      can_cancel: field(
        z.boolean(),
        false,
        "True if it is unfinished, not cancelled yet, and its type can be cancelled",
      ),
      can_retry: field(
        z.boolean(),
        false,
        "True if it failed or was cancelled, has no parent, and its type can be retried; its record may still not allow it",
      ),
      action: field(
        z.enum(["apply", "start", "stop", "reboot"]).nullable(),
        null,
        "What an `instance_update` or an `update_database_server` does; null for other types",
      ),
      subject: z
        .object({
          type: field(z.string(), "network", "Such as `server`"),
          id: field(z.union([z.int(), uuid]), EXAMPLE_UUID),
          url: linkTo("networks"),
        })
        .nullable()
        .describe("The record that it works on, even if `resource` is false"),
      resource: z.union([linkTo("networks"), z.literal(false)]).describe("False if no record remains"),
    })
    .meta({ id: "Request" }),
  computed: (row: AcceptedRequest, link, _secret, at) => {
    const definition = requestTypeDefinition(row.type);
    const isQuiet = definition?.quiet ?? false;
    const own = (part: string) => link("requests", row.id, part);
    return {
      type: row.type as RequestTypeName,
      ...(!isQuiet && { request_status: statusOf(row, at) }),
      read_channel: null,
      stage: isQuiet ? null : row.stage,
      dependencies: isQuiet ? null : own("dependencies"),
      stages: isQuiet ? null : own("stages"),
      requester: requesterOf(row, link),
      requested_by: requestedBy(row),
      parent: row.parentId && link("requests", row.parentId),
      callback_url: own("callback"),
      progress: false,
      state: stateOf(row),
      percent: percentOf(row),
      can_cancel: !row.finishedAt && !row.cancelRequestedAt && definition?.onFailure === "compensate",
      can_retry: canRetry(row),
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

function requestedBy({ userId, userIsService, parentId }: AcceptedRequest) {
  if (userId) return { type: userIsService ? ("service" as const) : ("user" as const), id: userId };
  return parentId ? { type: "parent" as const, id: parentId } : { type: "automation" as const, id: null };
}

function canRetry({ type, finishedAt, successful, parentId, resourceId }: AcceptedRequest): boolean {
  const definition = requestTypeDefinition(type);
  return !!finishedAt && !successful && !parentId && !!resourceId && !!definition && !definition.insteadOfRetry;
}

function resourceOf({ type, resourceType, resourceId }: AcceptedRequest, link: Link): string | false {
  if (!resourceType || !resourceId || !requestTypeDefinition(type)?.keepsResource) return false;
  return link(collectionOf(resourceType as ResourceType), resourceId);
}

function actionOf({ type, input }: AcceptedRequest) {
  if (type !== "instance_update" && type !== "update_database_server") return null;
  return (input as Partial<InputOf<typeof type>>).action ?? null;
}

function subjectOf({ resourceType, resourceId }: AcceptedRequest, link: Link) {
  if (!resourceType || !resourceId) return null;
  const type = resourceType as ResourceType;
  return {
    type,
    id: idTypeOf(type) === "integer" ? Number(resourceId) : resourceId,
    url: link(collectionOf(type), resourceId),
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
