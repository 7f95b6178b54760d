import type { Request } from "@gantry/db";
import type { CloudWait } from "./wait.js";

/** The columns of a Request that change during a run. */
type Changing = "stage" | "stageAttempts" | "message" | "rollingBackSince" | "takeovers" | "cancelRequestedAt";
type Constant =
  | "id"
  | "accountId"
  | "type"
  | "resourceType"
  | "resourceId"
  | "input"
  | "traceId"
  | "parentSpan"
  | "createdAt"
  | "wake"
  | "fence";

/** A Request as its claim reads it. */
export type ClaimedRow = Readonly<
  Pick<Request, Changing | Constant> & {
    isOverdue: boolean;
    rollbackMinutes: number;
    /** The time from its acceptance to its claim. */
    ageSeconds: number;
    /** The error of the cloud that the Request waits for to pass. */
    cloudWait: CloudWait | null;
  }
>;

/** The part of it that holds for the whole run. */
export type ClaimedRequest = Omit<ClaimedRow, Changing | "cloudWait">;

interface Position extends Pick<ClaimedRow, Changing | "cloudWait"> {
  /** When the current stage was first entered, or the rollback began. */
  readonly stageEnteredAt: Date;
  /** Whether the run has saved something that a repetition will not do again. */
  readonly hasProgressed: boolean;
}

/**
 * The state of one run of a Request. The parts of the run record each change here once the database has it, and read it
 * from here.
 */
export class RunState {
  readonly request: ClaimedRequest;
  private position: Position;
  private readonly claimedAtMs = performance.now();

  constructor(row: ClaimedRow) {
    this.request = row;
    this.position = { ...row, stageEnteredAt: row.rollingBackSince ?? new Date(), hasProgressed: false };
  }

  /** The Request as the database has it. */
  get current(): Position {
    return this.position;
  }

  /** The failed tries of the stage since the Request last saved progress. */
  get attempts(): number {
    return this.position.hasProgressed ? 0 : this.position.stageAttempts;
  }

  /** Whether a cancel stops the run; a rollback continues. */
  get isCancelled(): boolean {
    return this.position.cancelRequestedAt !== null && !this.position.rollingBackSince;
  }

  /** The error of the cloud that the Request has waited for to pass since it last saved progress. */
  get cloudWait(): CloudWait | null {
    return this.position.hasProgressed ? null : this.position.cloudWait;
  }

  /** The time since the Request was claimed. */
  get runMs(): number {
    return performance.now() - this.claimedAtMs;
  }

  /** The time since the Request was accepted. */
  get ageSeconds(): number {
    return this.request.ageSeconds + this.runMs / 1000;
  }

  /** The time that the current stage has taken over all its runs, in minutes. */
  minutesInStage(): number {
    return (Date.now() - this.position.stageEnteredAt.getTime()) / 60_000;
  }

  /** The time since which the cloud has answered with only this error, without progress of the Request. */
  waitingOutSince(reason: string): Date {
    const { cloudWait } = this;
    return cloudWait?.reason === reason ? new Date(cloudWait.since) : new Date();
  }

  /** Records the stage that the run has entered, and when the Request first entered it. */
  enterStage(stage: string, stageEnteredAt: Date): void {
    const isNew = stage !== this.position.stage;
    this.change(isNew ? { stage, stageEnteredAt, stageAttempts: 0, cloudWait: null } : { stageEnteredAt });
  }

  /** Whether failures are on record that count no longer once the Request saves progress. */
  get hasFailures(): boolean {
    return this.position.stageAttempts > 0 || this.position.cloudWait !== null;
  }

  /** Records that the run has progressed, in memory only: if the worker is killed, its earlier failures still count. */
  recordProgress(): void {
    this.change({ hasProgressed: true });
  }

  /** Records that the run has progressed, and that its earlier failures are no longer on record. */
  recordSavedProgress(): void {
    this.change({ hasProgressed: true, stageAttempts: 0, cloudWait: null });
  }

  /** Records the time of a cancel, if a statement has read one. */
  recordCancel(cancelRequestedAt: Date | null | undefined): void {
    if (cancelRequestedAt) this.change({ cancelRequestedAt });
  }

  /** Records that the Request only removes what it made from `since` on. */
  startRollback(message: string, since: Date): void {
    const fresh = { stageEnteredAt: since, stageAttempts: 0, takeovers: 0, cloudWait: null, hasProgressed: false };
    this.change({ message, rollingBackSince: since, ...fresh });
  }

  private change(change: Partial<Position>): void {
    this.position = { ...this.position, ...change };
  }
}
