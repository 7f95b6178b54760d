import { cancel } from "@gantry/api";
import { type Db, Prisma } from "@gantry/db";
import {
  Cancelled,
  type Child,
  Children,
  claim,
  type FencedDb,
  fencedDb,
  Journal,
  type Lease,
  LeaseLost,
  Ledger,
  type LedgerRow,
  NotYet,
  PermanentFailure,
  runRequest,
  sweep,
} from "@gantry/worker/engine";
import type { TestEngine } from "../engine.js";
import { recordJobs } from "../recorded-jobs.js";
import { createRequestOf } from "../work.js";
import { LEASE_SECONDS, leaseName, type ModelType } from "./model.js";
import { type Observation, readDatabase } from "./observation.js";
import { LEASE_LOST, NOT_RUNNABLE } from "./rules.js";

/** The parts of the engine that a worker gets with one claim. */
interface Run {
  lease: Lease;
  journal: Journal;
  ledger: Ledger;
  children: Children;
  db: FencedDb;
  row?: LedgerRow;
}

const LEASE_TIMES = { leaseSeconds: LEASE_SECONDS, callSeconds: 1 };

/** The engine's parts on a real database, run one statement at a time. */
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
    await createRequestOf(this.db, this, type, resourceOf(resource), input as never);
    return "done";
  }

  async claim(request: number): Promise<string> {
    const claimed = await claim({ ...this.engine, ...LEASE_TIMES }, this.idOf(request));
    if (!claimed) return NOT_RUNNABLE;
    const { state, lease } = claimed;
    this.runs.set(leaseName(request, state.request.fence), {
      lease,
      journal: new Journal(this.db, this.engine.jobs, state),
      ledger: new Ledger(this.db, state),
      children: new Children(this.db, state, this.engine.jobs),
      db: fencedDb(this.db, state.request),
    });
    return "done";
  }

  /** Extends the lease as a change of the cloud does, then checks it. */
  renew(name: string): Promise<string> {
    const { lease } = this.run(name);
    // A change extends it only if too little is left.
    const extended = (lease as unknown as { extend(): Promise<void> }).extend();
    const checked = extended.then(() => lease.assertHeld());
    return outcome(checked.catch((error) => (error instanceof Cancelled ? "cancelled" : Promise.reject(error))));
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
    const object = { providerId: 1, region: "here", owner: { type, id }, kind: "cluster", key: "" };
    const run = this.run(name);
    return outcome(run.ledger.intend(object, {}).then((row) => void Object.assign(run, { row })));
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

  createChildren(name: string, children: { type: ModelType; resource: string }[]): Promise<string> {
    return outcome(this.run(name).children.create(children.map(childOf)));
  }

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

  /** The Requests that a sweep notifies, in the order of acceptance. */
  async sweep(): Promise<number[]> {
    const notified = await this.notifiedBySweep();
    return this.observation.rows.flatMap(({ id }, i) => (notified.includes(id as string) ? [i] : []));
  }

  /**
   * Moves the database's clock by moving the times in all rows the other way, since other tests share the clock. The
   * engine cannot notice the difference: it only compares the clock with times in rows, and writes the clock plus a
   * constant.
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

  async observe(): Promise<Observation> {
    this.observation = await readDatabase(this.db, this.accountId);
    return this.observation;
  }

  /**
   * Ends all leases and sleeps, then runs every notified Request on two workers until a sweep notifies none. The clock
   * stays still, so that every further notification has a cause in the database.
   *
   * @returns the number of unfinished Requests
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
    const jobs = recordJobs();
    await sweep({ ...this.engine, jobs });
    return jobs.ids;
  }
}

/** The outcome of an action in the words of the model. */
async function outcome(action: Promise<unknown>): Promise<string> {
  try {
    const result = await action;
    return typeof result === "string" ? result : "done";
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
