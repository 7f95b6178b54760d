import type { Plan } from "@gantry/client";

/** AWS bills a database for ten minutes at least; every other resource for less. */
const LEAST_BILLED_HOURS = 10 / 60;
const HOURS_PER_MONTH = 730;
const MS_PER_HOUR = 3_600_000;

/** The part of a plan that the limits read. */
export interface PlannedCosts extends Pick<Plan, "estimate_note"> {
  estimate?:
    | Pick<NonNullable<Plan["estimate"]>, "monthly_usd" | "max_monthly_usd" | "is_complete" | "note">
    | null
    | undefined;
}

interface Meter {
  hourlyUsd: number;
  startedAt: number;
  endedAt?: number;
}

/** The costs of one resource. */
export interface CountedCosts {
  /** A sentence if the price is not known, or not in full. */
  warning: string | undefined;
  /** Ends the costs, once the resource was removed. */
  end(): void;
}

/** Why a run must end before its last step. */
export class LimitReached extends Error {}

/** The limits of a run in time and in money; the money is an estimate by list prices. */
export class Limits {
  private readonly startedAt: number;
  private readonly meters: Meter[] = [];
  private interruption: string | undefined;

  constructor(
    private readonly max: { minutes: number; dollars: number },
    private readonly now: () => number = Date.now,
  ) {
    this.startedAt = now();
  }

  /**
   * Counts a resource's costs from now on.
   *
   * @throws LimitReached if the least that AWS bills for it exceeds what remains
   */
  start(resource: string, { estimate, estimate_note: note }: PlannedCosts): CountedCosts {
    const hourlyUsd = (estimate?.max_monthly_usd ?? estimate?.monthly_usd ?? 0) / HOURS_PER_MONTH;
    const left = this.max.dollars - this.dollars();
    if (hourlyUsd * LEAST_BILLED_HOURS > left) {
      throw new LimitReached(`${resource} would cost more than the $${left.toFixed(2)} that remain`);
    }
    const meter: Meter = { hourlyUsd, startedAt: this.now() };
    this.meters.push(meter);
    return {
      warning: estimate?.is_complete ? undefined : (estimate?.note ?? note),
      end: () => {
        meter.endedAt ??= this.now();
      },
    };
  }

  /** Has the next `assert` throw, whatever the limits. */
  interrupt(reason: string): void {
    this.interruption ??= reason;
  }

  /** @throws LimitReached if a limit is reached or the run was interrupted */
  assert(): void {
    const { minutes, dollars } = this.max;
    if (this.interruption) throw new LimitReached(this.interruption);
    if (this.minutes() >= minutes) throw new LimitReached(`the limit of ${minutes} minutes is reached`);
    if (this.dollars() >= dollars) throw new LimitReached(`the limit of $${dollars} is reached`);
  }

  minutes(): number {
    return (this.now() - this.startedAt) / 60_000;
  }

  /** The estimated costs until now. */
  dollars(): number {
    const costs = this.meters.map(({ hourlyUsd, startedAt, endedAt = this.now() }) => {
      return hourlyUsd * Math.max(LEAST_BILLED_HOURS, (endedAt - startedAt) / MS_PER_HOUR);
    });
    return costs.reduce((sum, each) => sum + each, 0);
  }
}
