import { type Db, insertInto, Prisma } from "@gantry/db";
import type { JobQueues } from "@gantry/queue";
import { recordRequest, requestDuration } from "@gantry/telemetry";
import { v7 as uuidv7 } from "uuid";
import { writeFenced } from "./fenced-db.js";
import { leakPause } from "./leaks.js";
import type { RunState } from "./run-state.js";
import { Cancelled, LeaseLost, type StageError } from "./stage-errors.js";
import type { Sleep } from "./wait.js";

/** The result of a Request. */
export interface RequestResult {
  successful: boolean;
  message: string | null;
  /** The cloud objects that the Request made and could not remove; `object` is the id of the row in the ledger. */
  leaked: { object: string; kind: string; id: string | null; region: string }[];
  /** Whether an accepted cancel takes precedence. */
  unlessCancelled?: boolean;
}

/**
 * Writes how far a Request is, and reports it to the run's state. Every method is one statement.
 *
 * Every method throws LeaseLost, and writes nothing, once another worker has taken the Request over.
 */
export class Journal {
  constructor(
    private readonly db: Db,
    private readonly jobs: Pick<JobQueues, "wake" | "notifyWebhooks">,
    private readonly state: RunState,
  ) {}

  /** Finishes the stage that was run last, if any, and enters `stage`, the `position`-th of its workflow. */
  async enter(stage: string, position: number): Promise<void> {
    const last = this.state.current.stage;
    const isReentry = last === stage;
    const [row] = await this.db.$queryRaw<{ startedAt: Date }[]>`
      WITH held AS (
        UPDATE requests SET stage = ${stage}, updated_at = now(),
          stage_attempts = CASE WHEN ${isReentry} THEN stage_attempts ELSE 0 END,
          takeovers = CASE WHEN ${isReentry} THEN takeovers ELSE 0 END,
          cloud_wait = CASE WHEN ${isReentry} THEN cloud_wait END
        WHERE ${this.heldRequest()} RETURNING id),
      left_behind AS (
        UPDATE request_stages SET state = 'finished', finished_at = now()
        FROM held WHERE request_id = held.id AND name = ${last} AND name <> ${stage})
      INSERT INTO request_stages (request_id, name, position, state, attempts, started_at)
        SELECT id, ${stage}, ${position}, 'running', 1, now() FROM held
      ON CONFLICT (request_id, name) DO UPDATE SET state = 'running'
      RETURNING started_at AS "startedAt"`;
    if (!row) throw new LeaseLost();
    this.jobs.notifyWebhooks();
    this.state.enterStage(stage, row.startedAt);
  }

  /** Puts the Request to sleep and releases its lease. A Request that was woken during the run is due at once. */
  async sleep({ seconds, attempts, reason, awaitedChildren = 0, watch, cloudWait, error }: Sleep): Promise<void> {
    const { request, current } = this.state;
    const insertMessage = error === undefined ? Prisma.empty : Prisma.sql`, note AS (${this.note(error)})`;
    const write = () => this.db.$queryRaw<object[]>`
      WITH held AS (
        UPDATE requests SET lease_until = NULL, takeovers = 0, stage_attempts = ${attempts},
          waiting_for = ${reason ?? null}, wake = wake + 1, updated_at = now(),
          cloud_wait = ${cloudWait ? JSON.stringify(cloudWait) : null}::jsonb,
          awaited_children = CASE WHEN wake > ${request.wake} THEN 0 ELSE ${awaitedChildren}::int END,
          watch = CASE WHEN wake > ${request.wake} THEN NULL
            ELSE ${watch ? JSON.stringify(watch) : null}::jsonb || jsonb_build_object('wake', wake + 1) END,
          next_run_at = CASE
            WHEN wake > ${request.wake} THEN now()
            WHEN deadline_at > now() THEN least(deadline_at, now() + make_interval(secs => ${seconds}))
            ELSE now() + make_interval(secs => ${seconds}) END
        WHERE ${this.heldRequest()}
        RETURNING id),
      stage AS (
        UPDATE request_stages SET state = 'waiting', error = ${error ?? null},
          attempts = attempts + CASE WHEN ${error !== undefined} THEN 1 ELSE 0 END
        FROM held WHERE request_id = held.id AND name = ${current.stage} AND finished_at IS NULL)${insertMessage}
      SELECT id FROM held`;
    // The message's INSERT does not depend on `held`: only the fence keeps a worker without its lease from writing it.
    const [row] = await (error === undefined ? write() : writeFenced(request, write));
    if (!row) throw new LeaseLost();
    this.jobs.notifyWebhooks();
  }

  /** Makes the Request remove what it made. The first error stays its message. */
  async startRollback(message: string): Promise<void> {
    const { request, current } = this.state;
    const write = () => this.db.$queryRaw<{ since: Date }[]>`
      WITH held AS (
        UPDATE requests SET rolling_back_since = now(), message = ${message}, stage_attempts = 0, takeovers = 0,
          cloud_wait = NULL, updated_at = now()
        WHERE ${this.heldRequest()} RETURNING id, rolling_back_since),
      stage AS (
        UPDATE request_stages SET state = 'failed', error = ${message}, finished_at = now()
        FROM held WHERE request_id = held.id AND name = ${current.stage}),
      note AS (${this.note(message)})
      SELECT rolling_back_since AS since FROM held`;
    const [row] = await writeFenced(request, write);
    if (!row) throw new LeaseLost();
    this.jobs.notifyWebhooks();
    this.state.startRollback(message, row.since);
  }

  /**
   * Ends the Request and sends `request_finished`. Wakes the next Request on the same resource, and the parent that
   * waits for no other child.
   *
   * @throws Cancelled if the result is `unlessCancelled` and a cancel was accepted before the write
   */
  async finish({ successful, message, leaked, unlessCancelled = false }: RequestResult): Promise<void> {
    const { current, request } = this.state;
    const woken = await this.db.$queryRaw<{ id: string | null }[]>`
      WITH held AS (
        UPDATE requests SET finished_at = now(), updated_at = now(), successful = ${successful}, message = ${message},
          leaked_resources = ${JSON.stringify(leaked)}::jsonb,
          leak_retry_at = ${leaked.length > 0 ? Prisma.sql`now() + ${leakPause("0")}` : null}, lease_until = NULL, waiting_for = NULL
        WHERE ${this.heldRequest()} AND (cancel_requested_at IS NULL OR NOT ${unlessCancelled})
        RETURNING id, parent_id, queue_key),
      stage AS (
        UPDATE request_stages SET state = ${successful ? "finished" : "failed"}::stage_state, finished_at = now(),
          error = ${successful ? null : message}
        FROM held WHERE request_id = held.id AND name = ${current.stage}),
      parent AS (
        UPDATE requests SET wake = requests.wake + 1, awaited_children = greatest(awaited_children - 1, 0),
          next_run_at = CASE WHEN awaited_children > 1 THEN next_run_at ELSE now() END
        FROM held WHERE requests.id = held.parent_id AND requests.finished_at IS NULL
        RETURNING requests.id, awaited_children),
      next AS (
        SELECT r.id FROM requests r, held
        WHERE r.queue_key = held.queue_key AND r.finished_at IS NULL AND r.id <> held.id ORDER BY r.seq LIMIT 1)
      SELECT id FROM parent WHERE awaited_children = 0 UNION ALL SELECT id FROM next
      UNION ALL SELECT NULL FROM held HAVING count(pg_notify('request_finished', id::text)) > 0`;
    if (woken.length === 0) throw await this.reasonNotFinished();
    const failure = current.cancelRequestedAt ? "cancelled" : "failed";
    requestDuration.observe({ type: request.type, result: successful ? "successful" : failure }, this.state.ageSeconds);
    recordRequest(request, { successful });
    this.jobs.wake(...woken.flatMap(({ id }) => id ?? []));
    this.jobs.notifyWebhooks();
  }

  private async reasonNotFinished(): Promise<StageError> {
    const [held] = await this.db.$queryRaw<object[]>`SELECT id FROM requests WHERE ${this.heldRequest()}`;
    return held ? new Cancelled() : new LeaseLost();
  }

  private heldRequest(): Prisma.Sql {
    const { id, fence } = this.state.request;
    return Prisma.sql`id = ${id}::uuid AND fence = ${fence} AND lease_until IS NOT NULL AND finished_at IS NULL`;
  }

  private note(message: string): Prisma.Sql {
    const { request, current } = this.state;
    return insertInto("request_messages", { id: uuidv7(), requestId: request.id, stage: current.stage, message });
  }
}
