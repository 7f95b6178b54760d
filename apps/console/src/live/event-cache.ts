import type { GantryEvent, Page } from "@gantry/client";

/** What a number of events change in what the page shows. */
export interface Changes {
  /** The last record of each subject, by `type/id`. */
  records: Map<string, object>;
  /** The ids of the Requests whose stages or cloud objects may have changed. */
  requests: Set<string>;
  /** The records that are new, by type and id. */
  arrivals: Map<string, Map<string, object>>;
}

const CREATIONS = new Set<GantryEvent["type"]>(["request.accepted", "resource.created", "drift.found", "alert.raised"]);

/** Sums up events: of several on one record, the last counts. */
export function changesOf(events: readonly GantryEvent[]): Changes {
  const changes: Changes = { records: new Map(), requests: new Set(), arrivals: new Map() };
  for (const { type, subject, request, record } of events) {
    if (record) changes.records.set(`${subject.type}/${subject.id}`, record);
    for (const url of [request, (record as { parent?: unknown } | null)?.parent]) {
      const id = typeof url === "string" && /\/requests\/([^/]+)$/.exec(url)?.[1];
      if (id) changes.requests.add(id);
    }
    if (CREATIONS.has(type)) {
      const known = changes.arrivals.get(subject.type) ?? new Map();
      changes.arrivals.set(subject.type, known.set(String(subject.id), record ?? {}));
    }
  }
  return changes;
}

/** A cached answer, a record or some records, with the records that have changed; itself if none has. */
export function withChanges<T>(answer: T, type: string, records: Changes["records"]): T {
  const changed = (record: object) => records.get(`${type}/${(record as { id?: unknown }).id}`);
  if (typeof answer !== "object" || answer === null) return answer;
  const all = (items: object[]) =>
    items.some(changed) ? items.map((record) => mergedWith(record, changed(record))) : items;
  if (Array.isArray(answer)) return all(answer) as T;
  if (!isPage(answer)) return mergedWith(answer, changed(answer));
  const items = all(answer.items);
  return items === answer.items ? answer : { ...answer, items };
}

/** Fields that are newer than an event are null in its record, and absent from it if only calls show them. */
function mergedWith<T extends object>(record: T, change: object | undefined): T {
  return change ? { ...record, ...change } : record;
}

function isPage(answer: object): answer is Page<object> {
  return Array.isArray((answer as Partial<Page<object>>).items);
}
