import { type CloudObject, type Db, insertInto, Prisma } from "@gantry/db";
import { recordTags, type Tags } from "@gantry/resources";
import DataLoader from "dataloader";
import { v7 as uuidv7 } from "uuid";
import { throwingLeaseLost } from "./fenced-db.js";
import type { RunState } from "./run-state.js";
import { LeaseLost } from "./stage-errors.js";

/** The record that a cloud object belongs to. */
export interface Owner {
  type: string;
  id: string;
}

/** The key of a cloud object in the ledger: an owner has one live object of each kind and `key`. */
export interface LedgerKey extends Pick<CloudObject, "providerId" | "region" | "kind" | "key"> {
  owner: Owner;
  /** The record whose own tags the object gets; the owner if absent. */
  tagsOf?: Owner;
}

/** A row of the ledger. `unseenSeconds` is the time since the last call that may have made the object; null if there was none. */
export type LedgerRow = Pick<
  CloudObject,
  "id" | "requestId" | "providerId" | "region" | "kind" | "key" | "params" | "cloudId" | "readyAt" | "removedAt"
> & { resourceType: string; resourceId: string; tags: Tags; unseenSeconds: number | null };

/** An object by its id, with its row of the ledger if it has one. */
export interface NamedObject extends Pick<LedgerRow, "providerId" | "region" | "kind"> {
  id: string;
  row?: LedgerRow;
  /** What Gantry did to it last, and how long ago. */
  act: "created" | "recorded" | "removed";
  ageSeconds: number;
}

interface Intention {
  object: LedgerKey;
  params: object;
}

interface Creation {
  row: LedgerRow;
  cloudId: string;
  isReady: boolean;
  stage: string | null;
  message: string;
}

export type IntentRow = LedgerRow & { isNew: boolean };

/** True for a row of the ledger, `c`, whose object may exist, even if its id is unknown. */
const MAY_EXIST = Prisma.sql`c.attempted_at > 'epoch'`;

/** The columns of a row of the ledger, `c`. */
export const LEDGER_COLUMNS = Prisma.sql`c.id, c.request_id AS "requestId", c.provider_id AS "providerId", c.region, c.kind, c.key,
  c.params, c.tags, c.cloud_id AS "cloudId", c.ready_at AS "readyAt", c.removed_at AS "removedAt",
  c.resource_type AS "resourceType", c.resource_id AS "resourceId",
  CASE WHEN ${MAY_EXIST} THEN extract(epoch FROM now() - c.attempted_at)::float8 END AS "unseenSeconds"`;

/**
 * True for a row of the ledger, `c`, whose object is in use: a Request on its record, of the type of the one that made it,
 * `made`, succeeded since.
 */
export const IN_USE = Prisma.sql`EXISTS (
  SELECT 1 FROM requests done
  WHERE done.resource_type = c.resource_type AND done.resource_id = c.resource_id AND done.type = made.type
    AND done.successful AND done.seq >= made.seq)`;

/**
 * The record of the cloud objects that Requests are about to make and have made, as one run of a Request writes it.
 *
 * Every write throws LeaseLost, and changes nothing, once another worker has taken the Request over.
 */
export class Ledger {
  private readonly intents = new DataLoader<Intention, IntentRow>((batch) => this.intendAll(batch), { cache: false });
  /** Creations that end while others are saved are the next batch: all lock the Request's row, one after the other. */
  private readonly creations = new DataLoader<Creation, undefined>((batch) => this.saveAll(batch), {
    cache: false,
    batchScheduleFn: (send) => void this.saving.then(send, send),
  });
  private saving: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly db: Db,
    private readonly state: RunState,
  ) {}

  /** Writes the intent row before the create call; an existing row keeps its parameters and its tags. */
  intend(object: LedgerKey, params: object): Promise<IntentRow> {
    return this.intents.load({ object, params });
  }

  // One statement writes all intents of one turn of the event loop.
  private async intendAll(batch: readonly Intention[]): Promise<IntentRow[]> {
    const { request } = this.state;
    const intended = batch.map(({ object: { owner, tagsOf, ...object }, params }) => ({
      id: uuidv7(),
      requestId: request.id,
      accountId: request.accountId,
      providerId: object.providerId,
      region: object.region,
      resourceType: owner.type,
      resourceId: owner.id,
      kind: object.kind,
      key: object.key,
      params: params as Prisma.InputJsonObject,
      tags: recordTags(tagsOf ?? owner, { withName: !tagsOf }),
    }));
    const insert = insertInto("cloud_objects", ...(intended as [(typeof intended)[number]]));
    const keys = intended.map(
      ({ resourceType, resourceId, kind, key }) => Prisma.sql`(${resourceType}, ${resourceId}, ${kind}, ${key})`,
    );
    const writing = this.db.$queryRaw<(IntentRow & { cancelRequestedAt: Date | null })[]>`
      WITH held AS (${this.holdRequest()}),
      made AS (${insert} ON CONFLICT (resource_type, resource_id, kind, key) WHERE removed_at IS NULL DO NOTHING RETURNING *)
      SELECT true AS "isNew", held.cancel_requested_at AS "cancelRequestedAt", ${LEDGER_COLUMNS} FROM made c, held
      UNION ALL
      SELECT false, held.cancel_requested_at, ${LEDGER_COLUMNS} FROM cloud_objects c, held
      WHERE (c.resource_type, c.resource_id, c.kind, c.key) IN (${Prisma.join(keys)}) AND c.removed_at IS NULL`;
    const rows = await throwingLeaseLost(writing);
    this.state.recordCancel(rows[0]?.cancelRequestedAt);
    return intended.map((object) => {
      const row = rows.find((each) => isSameObject(each, object));
      if (!row) throw new LeaseLost();
      return row;
    });
  }

  /** Records that a create call of the object is about to be sent, or has failed just now. */
  async recordAttempt(row: LedgerRow): Promise<void> {
    await this.update(row, Prisma.sql`attempted_at = now()`);
  }

  /** Records that no call made the object: the next run need not look for it. */
  async recordAbsence(row: LedgerRow): Promise<void> {
    await this.update(row, Prisma.sql`attempted_at = 'epoch'`);
  }

  /**
   * Records that workers which held the Request before may have sent create calls until now: the cloud gets the whole
   * visibility time to show their objects.
   */
  async recordTakeover(): Promise<void> {
    const { id, resourceType, resourceId } = this.state.request;
    await throwingLeaseLost(this.db.$executeRaw`
      WITH held AS (${this.holdRequest()})
      UPDATE cloud_objects c SET attempted_at = now() FROM held
      WHERE c.cloud_id IS NULL AND c.removed_at IS NULL AND ${MAY_EXIST}
        AND (c.request_id = ${id}::uuid OR (c.resource_type = ${resourceType} AND c.resource_id = ${resourceId}))`);
  }

  /** Saves the id of a created object, with a message on the Request; `isReady` if the object needs no `sync`. */
  async save(row: LedgerRow, cloudId: string, isReady: boolean, message: string): Promise<void> {
    await this.creations.load({ row, cloudId, isReady, stage: this.state.current.stage, message });
    this.state.recordSavedProgress();
  }

  private saveAll(batch: readonly Creation[]): Promise<undefined[]> {
    const requestId = this.state.request.id;
    const notes = batch.map(({ stage, message }) => ({ id: uuidv7(), requestId, stage, message }));
    const values = batch.map((each) => Prisma.sql`(${each.row.id}::uuid, ${each.cloudId}, ${each.isReady}::boolean)`);
    const writing = this.db.$queryRaw<{ id: string; cancelRequestedAt: Date | null }[]>`
      WITH held AS (${this.holdRequest({ isProgress: true })}),
      noted AS (${insertInto("request_messages", ...(notes as [(typeof notes)[number]]))})
      UPDATE cloud_objects c SET cloud_id = made.cloud_id, ready_at = CASE WHEN made.is_ready THEN now() ELSE c.ready_at END
      FROM held, (VALUES ${Prisma.join(values)}) made (id, cloud_id, is_ready) WHERE c.id = made.id
      RETURNING c.id, held.cancel_requested_at AS "cancelRequestedAt"`;
    const saving = throwingLeaseLost(writing).then((saved) => {
      this.state.recordCancel(saved[0]?.cancelRequestedAt);
      const ids = new Set(saved.map(({ id }) => id));
      if (!batch.every(({ row }) => ids.has(row.id))) throw new LeaseLost();
      return batch.map(() => undefined);
    });
    this.saving = saving;
    return saving;
  }

  /** Records that the object has its configuration. */
  async markReady(row: LedgerRow): Promise<void> {
    await this.update(row, Prisma.sql`ready_at = now()`, { isProgress: true });
  }

  /** Records that the object no longer exists, and removes it from the lists of what Requests left behind. */
  async markRemoved(row: LedgerRow): Promise<void> {
    const { accountId } = this.state.request;
    const named = JSON.stringify([{ object: row.id }]);
    const forget = Prisma.sql`
      UPDATE requests SET leaked_resources = coalesce((
        SELECT jsonb_agg(leak) FROM jsonb_array_elements(leaked_resources) leak WHERE leak->>'object' IS DISTINCT FROM ${row.id}), '[]'::jsonb)
      WHERE account_id = ${accountId}::uuid AND leaked_resources <> '[]'::jsonb AND leaked_resources @> ${named}::jsonb`;
    await this.update(row, Prisma.sql`removed_at = now()`, { isProgress: true, also: forget });
  }

  /** Returns the objects of a record that exist or may exist, the newest first. */
  async liveObjectsOf(owner: Owner): Promise<LedgerRow[]> {
    return this.db.$queryRaw<LedgerRow[]>`
      SELECT ${LEDGER_COLUMNS} FROM cloud_objects c
      WHERE c.resource_type = ${owner.type} AND c.resource_id = ${owner.id} AND c.removed_at IS NULL
      ORDER BY c.seq DESC`;
  }

  /**
   * Returns the objects that a rollback of this Request removes, the newest first: those it made or may have made, and
   * those that failed Requests of the same type left to the same record. Objects from before a success of that type
   * stay.
   */
  async liveObjectsOfRequest(): Promise<LedgerRow[]> {
    const { id, type, resourceType, resourceId } = this.state.request;
    return this.db.$queryRaw<LedgerRow[]>`
      SELECT ${LEDGER_COLUMNS} FROM cloud_objects c JOIN requests made ON made.id = c.request_id
      WHERE c.removed_at IS NULL
        AND (made.id = ${id}::uuid OR (
          c.resource_type = ${resourceType} AND c.resource_id = ${resourceId} AND made.type = ${type} AND NOT ${IN_USE}))
      ORDER BY c.seq DESC`;
  }

  /** Returns the objects that this Request and its children, at any depth, made or may have made, the newest first. */
  async liveObjectsOfTree(): Promise<LedgerRow[]> {
    return this.db.$queryRaw<LedgerRow[]>`
      WITH RECURSIVE tree AS (
        SELECT id FROM requests WHERE id = ${this.state.request.id}::uuid
        UNION ALL SELECT child.id FROM requests child JOIN tree ON child.parent_id = tree.id)
      SELECT ${LEDGER_COLUMNS} FROM cloud_objects c
      WHERE c.removed_at IS NULL AND c.request_id IN (SELECT id FROM tree) ORDER BY c.seq DESC`;
  }

  /**
   * Returns the account's objects of these ids; of several with one id, the newest. Instances and volumes need no row of the
   * ledger, because AWS creates some by itself.
   */
  async objectsNamed(ids: string[]): Promise<NamedObject[]> {
    if (ids.length === 0) return [];
    const { accountId } = this.state.request;
    const rows = await this.db.$queryRaw<(LedgerRow & { cloudId: string; ageSeconds: number })[]>`
      SELECT DISTINCT ON (c.cloud_id) ${LEDGER_COLUMNS},
        extract(epoch FROM now() - coalesce(c.removed_at, greatest(c.attempted_at, c.ready_at)))::float8 AS "ageSeconds"
      FROM cloud_objects c
      WHERE c.account_id = ${accountId}::uuid AND c.cloud_id = ANY(${ids})
      ORDER BY c.cloud_id, c.seq DESC`;
    const recorded = await this.db.$queryRaw<Omit<NamedObject, "act">[]>`
      SELECT DISTINCT ON (id) * FROM (
        SELECT provisioned_id AS id, 'instance' AS kind, provider_id AS "providerId", region,
          extract(epoch FROM now() - created_at)::float8 AS "ageSeconds" FROM servers WHERE account_id = ${accountId}::uuid
        UNION ALL
        SELECT provisioned_id, 'volume', provider_id, region,
          extract(epoch FROM now() - created_at)::float8 FROM volumes WHERE account_id = ${accountId}::uuid) known
      WHERE id = ANY(${ids}) ORDER BY id, "ageSeconds"`;
    const inLedger = new Set(rows.map(({ cloudId }) => cloudId));
    return [
      ...rows.map(({ ageSeconds, ...row }): NamedObject => {
        const { cloudId: id, providerId, region, kind } = row;
        return { id, providerId, region, kind, row, ageSeconds, act: row.removedAt ? "removed" : "created" };
      }),
      ...recorded.filter(({ id }) => !inLedger.has(id)).map((each): NamedObject => ({ ...each, act: "recorded" })),
    ];
  }

  /** Reads a row again, also without the lease. */
  async read(row: LedgerRow): Promise<LedgerRow | undefined> {
    const rows = await this.db.$queryRaw<LedgerRow[]>`
      SELECT ${LEDGER_COLUMNS} FROM cloud_objects c WHERE c.id = ${row.id}::uuid`;
    return rows[0];
  }

  // Throws if the fence is not held: an INSERT in the same statement would be carried out without depending on it. The
  // lock on the Request's row delays a takeover until the statement has committed.
  private holdRequest({ isProgress = false } = {}): Prisma.Sql {
    const { id, fence } = this.state.request;
    const hold = Prisma.raw(isProgress && this.state.hasFailures ? "hold_progressed_request" : "hold_request");
    return Prisma.sql`SELECT ${hold}(${id}::uuid, ${fence}::int) AS cancel_requested_at`;
  }

  private async update(
    row: LedgerRow,
    changes: Prisma.Sql,
    { isProgress = false, also }: { isProgress?: boolean; also?: Prisma.Sql } = {},
  ): Promise<void> {
    const parts = [Prisma.sql`held AS (${this.holdRequest({ isProgress })})`];
    if (also) parts.push(Prisma.sql`also AS (${also})`);
    const writing = this.db.$queryRaw<{ cancelRequestedAt: Date | null }[]>`
      WITH ${Prisma.join(parts)} UPDATE cloud_objects c SET ${changes} FROM held WHERE c.id = ${row.id}::uuid
      RETURNING held.cancel_requested_at AS "cancelRequestedAt"`;
    const [changed] = await throwingLeaseLost(writing);
    if (!changed) throw new LeaseLost();
    this.state.recordCancel(changed.cancelRequestedAt);
    if (isProgress) this.state.recordSavedProgress();
  }
}

function isSameObject(
  row: LedgerRow,
  object: Pick<LedgerRow, "resourceType" | "resourceId" | "kind" | "key">,
): boolean {
  const { resourceType, resourceId, kind, key } = object;
  return row.resourceType === resourceType && row.resourceId === resourceId && row.kind === kind && row.key === key;
}
