import { type Db, Prisma } from "@gantry/db";
import type { JobQueues } from "@gantry/queue";
import { insertRequests } from "@gantry/requests";
import { type InputOf, type RequestType, type ResourceType, TYPES_CANCELLED_WITH_PARENT } from "@gantry/resources";
import { requestsCreated } from "@gantry/telemetry";
import { v5 as uuidv5 } from "uuid";
import { writeFenced } from "./fenced-db.js";
import type { RunState } from "./run-state.js";
import { permanent, waitForChildren } from "./stage-errors.js";

/** A Request that another one creates: each parent has at most one of a type on a resource. */
export interface Child<Name extends RequestType = RequestType> {
  type: Name;
  resource: { type: ResourceType; id: string | number };
  input: InputOf<Name>;
}

/** Returns one child for each row, of a type that needs no input. */
export function childForEach<Name extends RequestType>(
  type: Name,
  resourceType: ResourceType,
  rows: { id: string | number }[],
): Child[] {
  return rows.map(({ id }) => ({ type, resource: { type: resourceType, id }, input: {} }));
}

/** The Requests that a Request creates. It waits for those that it finishes; others may continue after its end. */
export class Children {
  constructor(
    private readonly db: Db,
    private readonly state: RunState,
    private readonly jobs: Pick<JobQueues, "add" | "wake">,
  ) {}

  /**
   * Creates the children that do not exist yet. Children on one resource run in the order of the list.
   *
   * @throws LeaseLost if another worker has taken the parent over; none is created then
   */
  async create(children: Child[]): Promise<void> {
    await this.createMissing(await this.existing(children), children);
  }

  /**
   * Creates the children that do not exist yet, and resolves once all have succeeded.
   *
   * @throws NotYet while one of them is unfinished; PermanentFailure if one failed; LeaseLost as `create` does
   */
  async finish(children: Child[]): Promise<void> {
    const existing = await this.existing(children);
    await this.createMissing(existing, children);
    const failed = existing.find(({ finishedAt, successful }) => finishedAt && !successful);
    const unfinished = children.length - existing.filter(({ finishedAt }) => finishedAt).length;
    if (unfinished > 0) throw waitForChildren(unfinished);
    if (failed) throw permanent(failed.message ?? "A child Request failed");
  }

  /**
   * Cancels the unfinished children, other than removals, and resolves once all children have ended.
   *
   * @throws NotYet while one of them is unfinished
   */
  async cancelAll(): Promise<void> {
    const { id, fence } = this.state.request;
    const cancelled = await this.db.$queryRaw<{ id: string }[]>`
      -- Children before their parent, the order in which their own ends lock them.
      WITH locked AS MATERIALIZED (
        SELECT id FROM requests
        WHERE parent_id = ${id}::uuid AND finished_at IS NULL AND cancel_requested_at IS NULL AND type = ANY(${TYPES_CANCELLED_WITH_PARENT})
        ORDER BY seq DESC FOR NO KEY UPDATE),
      all_locked AS MATERIALIZED (SELECT array_agg(id) AS ids FROM locked),
      held AS MATERIALIZED (
        SELECT ids FROM all_locked, LATERAL (
          SELECT 1 FROM requests WHERE id = ${id}::uuid AND fence = ${fence} AND lease_until IS NOT NULL AND ids IS NOT NULL
          FOR SHARE) mine)
      UPDATE requests SET cancel_requested_at = now(), next_run_at = now(), wake = wake + 1
      FROM held WHERE requests.id = ANY(held.ids)
      RETURNING requests.id`;
    this.jobs.wake(...cancelled.map((child) => child.id));
    const unfinished = await this.db.request.count({ where: { parentId: id, finishedAt: null } });
    if (unfinished > 0) throw waitForChildren(unfinished);
  }

  private existing(children: Child[]) {
    return this.db.request.findMany({
      where: { id: { in: children.map((child) => this.idOf(child)) } },
      select: { id: true, finishedAt: true, successful: true, message: true },
    });
  }

  private async createMissing(existing: { id: string }[], all: Child[]): Promise<void> {
    const existingIds = new Set(existing.map(({ id }) => id));
    const children = all.filter((child) => !existingIds.has(this.idOf(child)));
    if (children.length === 0) return;
    const { request } = this.state;
    const { id: parentId, accountId, traceId, resourceType, resourceId } = request;
    const { statement, requests } = insertRequests(
      children.map((child) => {
        const { type, id } = child.resource;
        const sharesResource = type === resourceType && String(id) === resourceId;
        return { ...child, id: this.idOf(child), parentId, accountId, traceId, sharesResource };
      }),
    );
    await writeFenced(request, () => this.db.$queryRaw(Prisma.sql`${statement} ON CONFLICT (id) DO NOTHING`));
    this.state.recordProgress();
    for (const { type } of requests) requestsCreated.inc({ type });
    this.jobs.add(...requests.map((child, ahead) => ({ ...child, ahead })));
  }

  // The same child has the same id however often the stage is run.
  private idOf({ type, resource }: Child): string {
    return uuidv5(`${type} ${resource.type}/${resource.id}`, this.state.request.id);
  }
}
