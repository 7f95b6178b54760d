import { type Db, Prisma } from "@gantry/db";
import {
  type AcceptedRequest,
  type InputOf,
  insertRequests,
  type Notification,
  type RequestType,
  type ResourceType,
  requestTypes,
} from "@gantry/requests";
import { v5 as uuidv5 } from "uuid";
import { writeFenced } from "./fenced-db.js";
import type { Lease } from "./lease.js";
import { permanent, waitForChildren } from "./stage-errors.js";

export interface Child<Name extends RequestType = RequestType> {
  type: Name;
  resource: { type: ResourceType; id: string | number };
  input: InputOf<Name>;
}

/** One child for each row, of a type that needs no input. */
export function childForEach<Name extends RequestType>(
  type: Name,
  resourceType: ResourceType,
  rows: { id: string | number }[],
): Child[] {
  return rows.map(({ id }) => ({ type, resource: { type: resourceType, id }, input: {} }));
}

// A removal goes on to its end: it may be what takes a failed parent's work back.
const CANCELLABLE_TYPES = Object.entries(requestTypes).flatMap(([type, row]) => ("removes" in row ? [] : [type]));

/** The Requests that a Request opens and waits for. */
export class Children {
  constructor(
    private readonly db: Db,
    private readonly lease: Lease,
    private readonly notify: (...notifications: Notification[]) => void,
  ) {}

  /** Opens the children that are not yet open. Those on one resource run in the order of the list. */
  async open(children: Child[]): Promise<void> {
    await this.openMissing(await this.known(children), children);
  }

  /**
   * Opens the children that are not yet open and passes once all of them have ended well.
   *
   * @throws NotYet while one of them runs; Permanent where one failed
   */
  async finish(children: Child[]): Promise<void> {
    const ids = children.map((child) => this.idOf(child));
    const findExisting = await this.known(children);
    await this.openMissing(findExisting, children);
    const failed = findExisting.find(({ finishedAt, successful }) => finishedAt && !successful);
    const left = ids.length - findExisting.filter(({ finishedAt }) => finishedAt).length;
    if (left > 0) throw waitForChildren(left);
    if (failed) throw permanent(failed.message ?? "A child Request failed");
  }

  /** Cancels the children that are still open and remove nothing, and passes once all children have ended. */
  async cancelAll(): Promise<void> {
    const { id, fence, accountId } = this.lease.request;
    const cancelled = await this.db.$queryRaw<{ id: string; wake: number }[]>`
      -- Children before their parent, as their ends take them.
      WITH locked AS MATERIALIZED (
        SELECT id FROM requests
        WHERE parent_id = ${id}::uuid AND finished_at IS NULL AND cancel_requested_at IS NULL AND type = ANY(${CANCELLABLE_TYPES})
        ORDER BY seq DESC FOR NO KEY UPDATE),
      all_locked AS MATERIALIZED (SELECT array_agg(id) AS ids FROM locked),
      held AS MATERIALIZED (
        SELECT ids FROM all_locked, LATERAL (
          SELECT 1 FROM requests WHERE id = ${id}::uuid AND fence = ${fence} AND lease_until IS NOT NULL AND ids IS NOT NULL
          FOR SHARE) mine)
      UPDATE requests SET cancel_requested_at = now(), next_run_at = now(), wake = wake + 1
      FROM held WHERE requests.id = ANY(held.ids)
      RETURNING requests.id, wake`;
    this.notify(...cancelled.map((child) => ({ ...child, accountId })));
    const left = await this.db.request.count({ where: { parentId: id, finishedAt: null } });
    if (left > 0) throw waitForChildren(left);
  }

  private known(children: Child[]) {
    return this.db.request.findMany({
      where: { id: { in: children.map((child) => this.idOf(child)) } },
      select: { id: true, finishedAt: true, successful: true, message: true },
    });
  }

  private async openMissing(known: { id: string }[], wanted: Child[]): Promise<void> {
    const open = new Set(known.map(({ id }) => id));
    const children = wanted.filter((child) => !open.has(this.idOf(child)));
    if (children.length === 0) return;
    const { id: parentId, fence, accountId, traceId, resourceType, resourceId } = this.lease.request;
    const { statement, requests } = insertRequests(
      children.map((child) => {
        const { type, id } = child.resource;
        const sharesResource = type === resourceType && String(id) === resourceId;
        return { ...child, id: this.idOf(child), parentId, accountId, traceId, sharesResource };
      }),
    );
    await writeFenced(parentId, fence, () => this.db.$queryRaw(Prisma.sql`${statement} ON CONFLICT (id) DO NOTHING`));
    this.lease.progress++;
    // One that queues behind another of these is rung by that one's end.
    const own = `${resourceType}/${resourceId}`;
    const queueOf = (request: AcceptedRequest) => `${request.resourceType}/${request.resourceId}`;
    const firsts = new Map(requests.map((request) => [queueOf(request), request.id] as const).reverse());
    const due = requests.filter((request) => {
      const queue = queueOf(request);
      return queue === own || firsts.get(queue) === request.id;
    });
    this.notify(...due.map(({ id }) => ({ id, accountId, wake: 0 })));
  }

  // The same child has the same id however often the stage is run.
  private idOf({ type, resource }: Child): string {
    return uuidv5(`${type} ${resource.type}/${resource.id}`, this.lease.request.id);
  }
}
