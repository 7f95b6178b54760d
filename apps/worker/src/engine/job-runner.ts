import { DatabaseAway, type JobData, NotBegun, subjectOf } from "@gantry/queue";
import { RUNNABLE } from "@gantry/requests";
import { DelayedError, type Job, UnrecoverableError } from "bullmq";
import { validate as isUuid } from "uuid";
import type { AccountSlots } from "./account-slots.js";
import type { Engine, RunView } from "./engine.js";
import { runRequest } from "./run.js";
import { isWatched } from "./watch.js";

/** What a job of a Request returns. A failed Request fails its job with its message. */
export interface JobResult {
  state: "finished" | "cancelled" | "unknown";
  /** The resource, such as `network/3d6b9181-6c3e-5be6-9c96-58d49679699d`. */
  resource: string | null;
}

type RequestJob = Job<Partial<JobData>, JobResult>;

/** The pauses of a job in seconds. What wakes its Request ends the pause. */
const PAUSES = {
  /** Its account uses its part of this worker. */
  noSlot: 1,
  /** This worker does not know its type; a newer one may. */
  unknownType: 5,
  /** The database does not answer, or accepts no writes. */
  noDatabase: 5,
  /** An earlier Request on the same resource is unfinished. */
  blocked: 60,
  /** `checkWatches` wakes its Request. */
  watched: 3600,
};

/** What is left to do for a Request, as the database has it. */
interface RequestStatus {
  type: string;
  isOver: boolean;
  isSuccessful: boolean;
  isCancelled: boolean;
  message: string | null;
  resource: string | null;
  /** The time until a worker may run it. */
  seconds: number;
}

/**
 * Returns the processor of jobs: it runs the Request of a job until it ends or waits. A job is delayed while its
 * Request waits, for whatever reason. For a Request that is gone or has ended, it only returns that.
 */
export function jobRunner<Cloud>(engine: Engine<Cloud>, slots: AccountSlots) {
  const { jobs, log, workflows } = engine;

  return async (job: RequestJob, token?: string): Promise<JobResult> => {
    const { id = "", data } = job;
    if (!isUuid(id)) return UNKNOWN;
    const { account = "" } = data;
    if (!(await slots.take(account))) return delay(job, token, PAUSES.noSlot, { thrown: new NotBegun() });
    try {
      const finished = await runRequest(engine, id, viewOn(job));
      if (finished) return { state: "finished", resource: subjectOf(finished) };
    } catch (error) {
      return delayWithoutDatabase(job, token, error);
    } finally {
      slots.release(account);
    }
    return settle(job, id, token);
  };

  /** Ends the job of a Request that has ended, and delays that of any other. */
  async function settle(job: RequestJob, id: string, token: string | undefined): Promise<JobResult> {
    let status: RequestStatus | undefined;
    try {
      status = await readStatus(engine, id);
    } catch (error) {
      return delayWithoutDatabase(job, token, error);
    }
    if (!status) return UNKNOWN;
    if (status.isOver) return resultOf(status);
    const isKnown = workflows.has(status.type);
    const pause = isKnown ? status.seconds : Math.max(status.seconds, PAUSES.unknownType);
    const afterwards = async () => {
      // If the Request was woken before its job was delayed, the job was not woken.
      const now = await readStatus(engine, id);
      if (pause > 0 && isKnown && now && (now.isOver || now.seconds === 0)) jobs.wake(id);
    };
    return delay(job, token, pause, { afterwards });
  }

  async function delayWithoutDatabase(job: RequestJob, token: string | undefined, cause: unknown): Promise<never> {
    return delay(job, token, PAUSES.noDatabase, { thrown: Object.assign(new DatabaseAway(), { cause }) });
  }

  async function delay(
    job: RequestJob,
    token: string | undefined,
    seconds: number,
    { afterwards = async () => {}, thrown = new DelayedError() } = {},
  ): Promise<never> {
    try {
      await job.moveToDelayed(Date.now() + Math.ceil(seconds * 1000), token);
      await afterwards();
    } catch (error) {
      // The sweep restores a job that was lost or taken away.
      log.debug({ err: error, job: job.id }, "delaying the job failed");
    }
    throw thrown;
  }
}

const UNKNOWN: JobResult = { state: "unknown", resource: null };

async function readStatus<Cloud>({ db, kinds }: Engine<Cloud>, id: string): Promise<RequestStatus | undefined> {
  const [row] = await db.$queryRaw<RequestStatus[]>`
    SELECT type, finished_at IS NOT NULL AS "isOver", successful AS "isSuccessful", message,
      cancel_requested_at IS NOT NULL AS "isCancelled", resource_type || '/' || resource_id AS resource,
      CASE WHEN lease_until >= now() THEN extract(epoch FROM lease_until - now())
        WHEN ${isWatched(kinds)} THEN ${PAUSES.watched}
        WHEN next_run_at > now() THEN extract(epoch FROM next_run_at - now())
        WHEN ${RUNNABLE} THEN 0
        ELSE ${PAUSES.blocked} END::float8 AS seconds
    FROM requests r WHERE id = ${id}::uuid`;
  return row;
}

function resultOf({ isSuccessful, isCancelled, message, resource }: RequestStatus): JobResult {
  if (isSuccessful) return { state: "finished", resource };
  if (isCancelled) return { state: "cancelled", resource };
  throw new UnrecoverableError(message ?? "The Request failed");
}

/** Shows on a job how far its Request is. No run waits for it, and a run without Redis continues. */
function viewOn(job: RequestJob): RunView {
  return {
    enter: (stage, percent) => void job.updateProgress({ stage, percent }).catch(() => {}),
    log: (message) => void job.log(message).catch(() => {}),
  };
}
