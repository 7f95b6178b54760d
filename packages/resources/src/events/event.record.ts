import { type CamelCase, type Event, fieldOf } from "@gantry/db";
import { z } from "zod";
import { type RecordedType, type ResourceType, resources } from "../catalogue.js";
import { collectionOf } from "../declarations/collections.js";
import { field, uuid } from "../declarations/fields.js";
import { type Link, linkTo } from "../declarations/links.js";
import type { WireRecord } from "../declarations/record.js";
import { timestamp } from "../declarations/timestamps.js";
import * as records from "../records.js";
import { resourceTypes } from "../relations.js";

/** The facts that events report. */
export const EVENT_TYPES = [
  "request.accepted",
  "request.started",
  "request.stage",
  "request.waiting",
  "request.message",
  "request.rolling_back",
  "request.cancelling",
  "request.leaked",
  "request.finished",
  "request.failed",
  "request.cancelled",
  "resource.created",
  "resource.changed",
  "resource.deleted",
  "resource.restored",
  "resource.disappeared",
  "drift.found",
  "alert.raised",
  "alert.finished",
  "webhook.disabled",
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** A type of the records that events show. Those of the first four have triggers of their own. */
export type EventSubject = "request" | "drift" | "alert" | "webhook" | RecordedType;

export const EVENT_SUBJECTS: [EventSubject, ...EventSubject[]] = [
  "request",
  "drift",
  "alert",
  "webhook",
  ...resourceTypes.filter((type): type is RecordedType => resources[type].events !== null),
];

// The compiler asks for a record of each type.
const recordsByName: Readonly<Record<CamelCase<EventSubject>, { serialize(...inputs: never[]): object }>> = records;

/** The wire record of an event. */
export const eventRecord = z
  .object({
    id: field(z.string(), "1", "The position in the account's stream, for `after` and `Last-Event-ID`"),
    type: z.enum(EVENT_TYPES),
    created_at: timestamp,
    account: linkTo("accounts"),
    subject: z.object({
      type: z.string().meta({ description: "Such as `server`", examples: ["provider"] }),
      id: z.union([z.int(), uuid]),
      url: linkTo("providers"),
    }),
    request: linkTo("requests").nullable().describe("The request that the event is about; null for other records"),
    message: field(
      z.string().nullable(),
      "the instance is running",
      "The text of a message, the objects that a request left behind in AWS, or why a webhook was disabled",
    ),
    record: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe(
        "The record at the time of the event, as its URL shows it, without secrets. Fields added since are null. Null if this version of Gantry cannot show it",
      ),
  })
  .meta({ id: "Event" });

interface EventLog {
  warn(fields: object, message: string): void;
}

/**
 * Renders an event as its readers get it, whichever version of Gantry wrote it: columns that its record lacks read as
 * null. Its `record` is null, and `log` gets a line, if this version cannot render it.
 */
export function renderEvent(row: Event, link: Link, log: EventLog): z.input<typeof eventRecord> {
  return {
    id: idOf(row),
    type: row.type as EventType,
    created_at: `${row.createdAt.toISOString().slice(0, 23)}+00:00`,
    account: link("accounts", row.accountId),
    subject: {
      type: row.subjectType,
      id: /^\d+$/.test(row.subjectId) ? Number(row.subjectId) : row.subjectId,
      url: link(collectionOfSubject(row.subjectType), row.subjectId),
    },
    request: row.requestId && link("requests", row.requestId),
    message: row.message,
    record: recordOf(row, link, log),
  };
}

function recordOf(row: Event, link: Link, log: EventLog): Record<string, unknown> | null {
  try {
    const subject = recordsByName[fieldOf(row.subjectType) as CamelCase<EventSubject>] as
      | WireRecord<object>
      | undefined;
    if (!subject) throw new Error(`no record has the type ${row.subjectType}`);
    return subject.serialize(rowOf(row.record), linkOfKnown(link), null, row.createdAt);
  } catch (error) {
    log.warn({ id: idOf(row), type: row.type, err: error }, "event cannot be rendered");
    return null;
  }
}

/** Builds no link to a record whose id is missing. */
function linkOfKnown(link: Link): Link {
  return (...segments) => (segments.some((segment) => segment === null) ? (null as never) : link(...segments));
}

/** The id of an event: it orders the events of an account. */
export function idOf({ position, seq }: Pick<Event, "position" | "seq">): string {
  return `${position}-${seq}`;
}

function collectionOfSubject(type: string): string {
  return type in resources ? collectionOf(type as ResourceType) : `${type}s`;
}

const TIME = /(At|Since|Until)$/;

/** The row of a record as it was, from its columns in JSON; every other field is null. */
function rowOf(columns: Event["record"]): object {
  const entries = Object.entries(columns as Record<string, unknown>).map(([column, value]) => {
    const field = fieldOf(column);
    return [field, typeof value === "string" && TIME.test(field) ? new Date(value) : value];
  });
  const row: Record<string | symbol, unknown> = Object.fromEntries(entries);
  return new Proxy(row, { get: (_, field) => row[field] ?? null });
}
