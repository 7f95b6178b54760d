import { type Db, Prisma } from "@gantry/db";
import type { Notification } from "@gantry/requests";
import { cancel } from "../../../apps/api/src/resources/requests/cancel.js";
import { type Child, Children } from "../../../apps/worker/src/engine/children.js";
import { claim, RUNNABLE } from "../../../apps/worker/src/engine/claim.js";
import { type FencedDb, fencedDb } from "../../../apps/worker/src/engine/fenced-db.js";
import { Journal } from "../../../apps/worker/src/engine/journal.js";
import type { Lease } from "../../../apps/worker/src/engine/lease.js";
import { Ledger, type LedgerRow } from "../../../apps/worker/src/engine/ledger.js";
import { runRequest } from "../../../apps/worker/src/engine/run.js";
import { Cancelled, LeaseLost, NotYet, PermanentFailure } from "../../../apps/worker/src/engine/stage-errors.js";
import { sweep } from "../../../apps/worker/src/engine/sweep.js";
import type { TestEngine } from "../engine.js";
import { open } from "../work.js";
import { LEASE_LOST, LEASE_SECONDS, leaseName, type ModelType, NOT_RUNNABLE, type visible } from "./model.js";

/** What a worker works with from its claim on. */
interface Run {
  lease: Lease;
  journal: Journal;
  ledger: Ledger;
  children: Children;
  db: FencedDb;
  row?: LedgerRow;
}

/** What stands in the database: what the model speaks of, and all the rest of it. */
interface Observation {
  view: ReturnType<typeof visible>;
  rows: Record<string, unknown>[];
  rest: unknown;
}

const TIMES = { leaseSeconds: LEASE_SECONDS, callSeconds: 1 };

/** The engine's own parts on a real database, driven one statement at a time. */
export class RealSystem {
  observation: Observation = { view: { requests: [], record: "", ledger: {} }, rows: [], rest: undefined };
  private readonly runs = new Map<string, Run>();

  constructor(
    private readonly engine: TestEngine,
    readonly accountId: string,
  ) {}

  private get db(): Db {
    return this.engine.db;
  }

  private run(name: string): Run {
    return this.runs.get(name) as Run;
  }

  private idOf(request: number): string {
    return this.observation.rows[request]?.id as string;
  }

  async accept(type: ModelType, resource: string): Promise<string> {
    const input = type === "provision_network" ? { skipSubnets: true } : {};
    await open(this.db, this, type, resourceOf(resource), input as never);
    return "done";
  }

  async claim(request: number): Promise<string> {
    const claimed = await claim({ ...this.engine, ...TIMES }, this.idOf(request));
    if (!claimed) return NOT_RUNNABLE;
    const { state, lease } = claimed;
    this.runs.set(leaseName(request, state.request.fence), {
      lease,
      journal: new Journal(this.db, this.engine.notifier, state),
      ledger: new Ledger(this.db, state),
      children: new Children(this.db, state, this.engine.notifier.notify),
      db: fencedDb(this.db, state.request),
    });
    return "done";
  }

  /** The beat of a lease, which comes by itself every fifth of it, and what the worker then knows. */
  renew(name: string): Promise<string> {
    const { lease } = this.run(name);
    // Private, since nobody else needs it: the timer is too slow for a test.
    const renewed = (lease as unknown as { renew(): Promise<void> }).renew();
    const passed = renewed.then(() => lease.assertHeld());
    return outcome(passed.catch((error) => (error instanceof Cancelled ? "told to stop" : Promise.reject(error))));
  }

  enter(name: string, stage: string): Promise<string> {
    return outcome(this.run(name).journal.enter(stage, 0));
  }

  write(name: string, value: string, isRaw: boolean): Promise<string> {
    const { db } = this.run(name);
    const { accountId: id } = this;
    const write = isRaw
      ? db.$executeRaw`UPDATE accounts SET name = ${value} WHERE id = ${id}::uuid`
      : db.account.update({ where: { id }, data: { name: value } });
    return outcome(write.then(() => undefined));
  }

  intend(name: string, resource: string): Promise<string> {
    const { type, id } = resourceOf(resource);
    const slot = { providerId: 1, region: "here", owner: { type, id }, kind: "box", key: "" };
    const run = this.run(name);
    return outcome(run.ledger.intend(slot, {}).then((row) => void Object.assign(run, { row })));
  }

  save(name: string, cloudId: string): Promise<string> {
    const { ledger, row } = this.run(name);
    return outcome(ledger.save(row as LedgerRow, cloudId, true, `Created ${cloudId}`));
  }

  startRollback(name: string): Promise<string> {
    return outcome(this.run(name).journal.startRollback("Failed"));
  }

  sleep(name: string, seconds: number, awaitedChildren: number): Promise<string> {
    return outcome(this.run(name).journal.sleep({ seconds, attempts: 0, awaitedChildren }));
  }

  finish(name: string, successful: boolean): Promise<string> {
    const message = successful ? null : "Failed";
    const ending = { successful, message, leaked: [], unlessCancelled: successful };
    return outcome(this.run(name).journal.finish(ending));
  }

  openChildren(name: string, children: { type: ModelType; resource: string }[]): Promise<string> {
    return outcome(this.run(name).children.open(children.map(childOf)));
  }

  /** Looks after those children that are open. */
  checkChildren(name: string, children: { type: ModelType; resource: string }[]): Promise<string> {
    return outcome(this.run(name).children.finish(children.map(childOf)));
  }

  cancelChildren(name: string): Promise<string> {
    return outcome(this.run(name).children.cancelAll());
  }

  cancel(request: number): Promise<string> {
    const id = this.idOf(request);
    const { type } = this.observation.rows[request] as { type: ModelType };
    return outcome(cancel(this.db, { id, type } as Parameters<typeof cancel>[1], () => {}).then(() => undefined));
  }

  /** Which Requests a sweep rings, in the order of their acceptance. */
  async sweep(): Promise<number[]> {
    const notified = await this.notifiedBySweep();
    return this.observation.rows.flatMap(({ id }, i) => (notified.includes(id as string) ? [i] : []));
  }

  /**
   * Lets the database's clock jump. The engine tells times only by comparing the database's clock with times in rows,
   * and writes them as that clock plus a constant. So only the difference counts: moving the rows back by an hour is
   * the same to it as moving the clock forward by one, and the clock stays that of all other tests.
   */
  async stepClock(seconds: number): Promise<void> {
    const step = Prisma.sql`make_interval(secs => ${seconds})`;
    await this.db.$queryRaw`
      WITH stages AS (UPDATE request_stages SET started_at = started_at - ${step}),
      objects AS (UPDATE cloud_objects SET attempted_at = attempted_at - ${step})
      UPDATE requests SET lease_until = lease_until - ${step}, next_run_at = next_run_at - ${step},
        deadline_at = deadline_at - ${step}, rolling_back_since = rolling_back_since - ${step}
      WHERE finished_at IS NULL`;
  }

  /** Reads all that the commands may change. */
  async observe(): Promise<Observation> {
    const [seen] = await this.db.$queryRaw<
      [{ requests: (Row & Flags)[]; record: string; ledger: object; rest: object }]
    >`
      SELECT (SELECT name FROM accounts WHERE id = ${this.accountId}::uuid) AS record,
        (SELECT coalesce(jsonb_object_agg(resource_type || '/' || resource_id, cloud_id), '{}') FROM cloud_objects) AS ledger,
        (SELECT jsonb_build_array(jsonb_agg(to_jsonb(s) ORDER BY request_id, name),
          (SELECT jsonb_agg(to_jsonb(c) ORDER BY seq) FROM cloud_objects c),
          (SELECT count(*) FROM request_messages)) FROM request_stages s) AS rest,
        (SELECT coalesce(jsonb_agg(to_jsonb(r) || jsonb_build_object('is_due', r.finished_at IS NULL AND r.next_run_at <= now(),
          'is_live', coalesce(r.lease_until > now(), false), 'is_runnable', ${RUNNABLE}) ORDER BY r.seq), '[]')
          FROM requests r) AS requests`;
    const { requests, record, ledger, rest } = seen;
    this.observation = {
      view: { requests: requests.map(viewOf), record, ledger: ledger as Record<string, string | null> },
      rows: requests,
      rest,
    };
    return this.observation;
  }

  /**
   * Lets nobody die any more, waits out what is left of leases and sleeps, and has two workers answer every bell until a
   * sweep rings none: no time passes meanwhile, so that each wake must have come by itself.
   *
   * @returns how many Requests have not ended
   */
  async runToCompletion(): Promise<number> {
    this.close();
    const [{ seconds }] = await this.db.$queryRaw<[{ seconds: number }]>`
      SELECT coalesce(extract(epoch FROM greatest(
        (SELECT max(greatest(next_run_at, lease_until)) FROM requests WHERE finished_at IS NULL),
        (SELECT max(attempted_at) FROM cloud_objects)) - now()), 0)::float8 AS seconds`;
    await this.stepClock(Math.max(0, seconds) + 1);
    for (let rounds = 0; rounds < 50; rounds++) {
      const notified = await this.notifiedBySweep();
      if (notified.length === 0) break;
      await Promise.all([...notified, ...notified].map((id) => runRequest(this.engine, id)));
    }
    return this.db.request.count({ where: { finishedAt: null } });
  }

  close(): void {
    for (const { lease } of this.runs.values()) lease.close();
  }

  private async notifiedBySweep(): Promise<string[]> {
    const notifications: Notification[] = [];
    await sweep({ ...this.engine, notifier: { notify: (...more) => void notifications.push(...more) } });
    return notifications.map(({ id }) => id);
  }
}

type Row = Record<string, unknown> & { id: string; type: ModelType; fence: number; stage: string | null };
type Flags = Record<"is_due" | "is_live" | "is_runnable" | "successful", boolean>;

function viewOf(row: Row & Flags): Observation["view"]["requests"][number] {
  return {
    type: row.type,
    fence: row.fence,
    stage: row.stage,
    isStarted: row.started_at !== null,
    isEnded: row.finished_at !== null,
    isSuccessful: row.successful,
    isCancelled: row.cancel_requested_at !== null,
    isRollingBack: row.rolling_back_since !== null,
    isHeld: row.lease_until !== null,
    isLive: row.is_live,
    isDue: row.is_due,
    isRunnable: row.is_runnable,
  };
}

/** What came of an act, as the model says it. */
async function outcome(action: Promise<unknown>): Promise<string> {
  try {
    const said = await action;
    return typeof said === "string" ? said : "done";
  } catch (error) {
    if (error instanceof LeaseLost) return LEASE_LOST;
    if (error instanceof Cancelled) return "refused: cancelled";
    if (error instanceof NotYet) return `${error.wait.awaitedChildren} left`;
    if (error instanceof PermanentFailure) return "a child failed";
    if ((error as { status?: number }).status === 409) return "refused: conflict";
    throw error;
  }
}

function resourceOf(resource: string) {
  const [type = "", id = ""] = resource.split("/");
  return { type: type as "network" | "provider", id };
}

function childOf({ type, resource }: { type: ModelType; resource: string }): Child {
  const input = type === "provision_network" ? { skipSubnets: true } : {};
  return { type, resource: resourceOf(resource), input } as Child;
}
