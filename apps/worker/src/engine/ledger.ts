import { type CloudObject, type Db, insertInto, Prisma } from "@gantry/db";
import DataLoader from "dataloader";
import { v7 as uuidv7 } from "uuid";
import { throwingLeaseLost } from "./fenced-db.js";
import type { Lease } from "./lease.js";
import { LeaseLost } from "./stage-errors.js";

/** Whose a cloud object is: one record of one type. */
export interface Owner {
  type: string;
  id: string;
}

/** The part of the ledger that an object is found by. */
export interface Slot {
  providerId: number;
  region: string;
  owner: Owner;
  kind: string;
  key: string;
}

export type LedgerRow = Pick<
  CloudObject,
  "id" | "requestId" | "providerId" | "region" | "kind" | "key" | "params" | "cloudId" | "readyAt" | "removedAt"
> & { resourceType: string; resourceId: string; unseenSeconds: number };

interface IntentRequest {
  slot: Slot;
  params: object;
}

interface Intended {
  row: LedgerRow;
  isNew: boolean;
}

const COLUMNS = Prisma.sql`c.id, c.request_id AS "requestId", c.provider_id AS "providerId", c.region, c.kind, c.key,
  c.params, c.cloud_id AS "cloudId", c.ready_at AS "readyAt", c.removed_at AS "removedAt",
  c.resource_type AS "resourceType", c.resource_id AS "resourceId",
  extract(epoch FROM now() - c.attempted_at)::float8 AS "unseenSeconds"`;

/** What Requests are about to make in the cloud and what they have made. Its writes are those of one run of a Request. */
export class Ledger {
  private readonly intents = new DataLoader<IntentRequest, Intended>((requested) => this.intendAll(requested), {
    cache: false,
  });

  constructor(
    private readonly db: Db,
    private readonly lease: Lease,
  ) {}

  /** The row of a slot, written before anything is made. A row that was there already keeps its parameters. */
  intend(slot: Slot, params: object): Promise<Intended> {
    return this.intents.load({ slot, params });
  }

  // What is asked for together is written together.
  private async intendAll(requested: readonly IntentRequest[]): Promise<Intended[]> {
    const { request } = this.lease;
    const wanted = requested.map(({ slot, params }) => ({
      id: uuidv7(),
      requestId: request.id,
      accountId: request.accountId,
      providerId: slot.providerId,
      region: slot.region,
      resourceType: slot.owner.type,
      resourceId: slot.owner.id,
      kind: slot.kind,
      key: slot.key,
      params: params as Prisma.InputJsonObject,
    }));
    const insert = insertInto("cloud_objects", ...(wanted as [(typeof wanted)[number]]));
    const slots = wanted.map(
      ({ resourceType, resourceId, kind, key }) => Prisma.sql`(${resourceType}, ${resourceId}, ${kind}, ${key})`,
    );
    const writing = this.db.$queryRaw<(LedgerRow & { isNew: boolean; cancelRequestedAt: Date | null })[]>`
      WITH held AS (${this.holdRequest()}),
      made AS (${insert} ON CONFLICT (resource_type, resource_id, kind, key) WHERE removed_at IS NULL DO NOTHING RETURNING *)
      SELECT true AS "isNew", held.cancel_requested_at AS "cancelRequestedAt", ${COLUMNS} FROM made c, held
      UNION ALL
      SELECT false, held.cancel_requested_at, ${COLUMNS} FROM cloud_objects c, held
      WHERE (c.resource_type, c.resource_id, c.kind, c.key) IN (${Prisma.join(slots)}) AND c.removed_at IS NULL`;
    const rows = await throwingLeaseLost(writing);
    this.lease.recordCancel(rows[0]?.cancelRequestedAt);
    return wanted.map((slot) => {
      const row = rows.find((each) => matchesSlot(each, slot));
      if (!row) throw new LeaseLost("another worker took the Request over");
      return { row, isNew: row.isNew };
    });
  }

  /** Notes that a call which makes the object is about to be sent again, or was given up just now. */
  async recordAttempt(row: LedgerRow): Promise<void> {
    await this.write(
      Prisma.sql`UPDATE cloud_objects c SET attempted_at = now() FROM held WHERE c.id = ${row.id}::uuid`,
    );
  }

  /** Notes that whoever held the Request before may have sent calls until now: of what they made nothing is on record. */
  async recordTakeover(): Promise<void> {
    const { id, resourceType, resourceId } = this.lease.request;
    await throwingLeaseLost(this.db.$executeRaw`
      WITH held AS (${this.holdRequest()})
      UPDATE cloud_objects c SET attempted_at = now() FROM held WHERE c.cloud_id IS NULL AND c.removed_at IS NULL
        AND (c.request_id = ${id}::uuid OR (c.resource_type = ${resourceType} AND c.resource_id = ${resourceId}))`);
  }

  /** Saves the id of what was made; `isReady` where nothing is left to be done to it. */
  async save(row: LedgerRow, cloudId: string, isReady: boolean, message: string): Promise<void> {
    const { request } = this.lease;
    const note = insertInto("request_messages", {
      id: uuidv7(),
      requestId: request.id,
      stage: request.stage,
      message,
    });
    const ready = isReady ? Prisma.sql`, ready_at = now()` : Prisma.empty;
    await this.write(
      Prisma.sql`UPDATE cloud_objects c SET cloud_id = ${cloudId}${ready} FROM held WHERE c.id = ${row.id}::uuid`,
      note,
    );
    this.lease.progress++;
  }

  async markReady(row: LedgerRow): Promise<void> {
    await this.write(Prisma.sql`UPDATE cloud_objects c SET ready_at = now() FROM held WHERE c.id = ${row.id}::uuid`);
    this.lease.progress++;
  }

  async markRemoved(row: LedgerRow): Promise<void> {
    await this.write(Prisma.sql`UPDATE cloud_objects c SET removed_at = now() FROM held WHERE c.id = ${row.id}::uuid`);
    this.lease.progress++;
  }

  /** What exists, or may exist, of a record's objects: the newest first. */
  async liveObjectsOf(owner: Owner): Promise<LedgerRow[]> {
    return this.db.$queryRaw<LedgerRow[]>`
      SELECT ${COLUMNS} FROM cloud_objects c
      WHERE c.resource_type = ${owner.type} AND c.resource_id = ${owner.id} AND c.removed_at IS NULL
      ORDER BY c.seq DESC`;
  }

  /**
   * What this Request has made, or may have made, and what earlier ones of its type left of its record when they failed:
   * the newest first. What belongs to the record since a Request of the type succeeded is not this one's to take back.
   */
  async liveObjectsOfRequest(): Promise<LedgerRow[]> {
    const { id, type, resourceType, resourceId } = this.lease.request;
    return this.db.$queryRaw<LedgerRow[]>`
      SELECT ${COLUMNS} FROM cloud_objects c JOIN requests made ON made.id = c.request_id
      WHERE c.removed_at IS NULL
        AND (made.id = ${id}::uuid OR (
          c.resource_type = ${resourceType} AND c.resource_id = ${resourceId} AND made.type = ${type}
          AND NOT EXISTS (
            SELECT 1 FROM requests done
            WHERE done.resource_type = c.resource_type AND done.resource_id = c.resource_id AND done.type = made.type
              AND done.successful AND done.seq >= made.seq)))
      ORDER BY c.seq DESC`;
  }

  /** What this Request and those that it opened have made, or may have made: the newest first. */
  async liveObjectsOfTree(): Promise<LedgerRow[]> {
    return this.db.$queryRaw<LedgerRow[]>`
      WITH RECURSIVE tree AS (
        SELECT id FROM requests WHERE id = ${this.lease.request.id}::uuid
        UNION ALL SELECT child.id FROM requests child JOIN tree ON child.parent_id = tree.id)
      SELECT ${COLUMNS} FROM cloud_objects c
      WHERE c.removed_at IS NULL AND c.request_id IN (SELECT id FROM tree) ORDER BY c.seq DESC`;
  }

  /** A row as it stands now, whoever holds the Request. */
  async read(row: LedgerRow): Promise<LedgerRow | undefined> {
    const rows = await this.db.$queryRaw<LedgerRow[]>`
      SELECT ${COLUMNS} FROM cloud_objects c WHERE c.id = ${row.id}::uuid`;
    return rows[0];
  }

  // It throws where the fence is not held, since what a statement inserts beside it would be written all the same. Its
  // lock holds off a takeover until the statement has committed.
  private holdRequest(): Prisma.Sql {
    const { id, fence } = this.lease.request;
    return Prisma.sql`SELECT hold_request(${id}::uuid, ${fence}::int) AS cancel_requested_at`;
  }

  private async write(change: Prisma.Sql, note?: Prisma.Sql): Promise<void> {
    const parts = [Prisma.sql`held AS (${this.holdRequest()})`];
    if (note) parts.push(Prisma.sql`note AS (${note})`);
    const writing = this.db.$queryRaw<{ cancelRequestedAt: Date | null }[]>`
      WITH ${Prisma.join(parts)} ${change} RETURNING held.cancel_requested_at AS "cancelRequestedAt"`;
    const [changed] = await throwingLeaseLost(writing);
    if (!changed) throw new LeaseLost("another worker took the Request over");
    this.lease.recordCancel(changed.cancelRequestedAt);
  }
}

function matchesSlot(row: LedgerRow, slot: Pick<LedgerRow, "resourceType" | "resourceId" | "kind" | "key">): boolean {
  const { resourceType, resourceId, kind, key } = slot;
  return row.resourceType === resourceType && row.resourceId === resourceId && row.kind === kind && row.key === key;
}
