import type { Request, Stage } from "@gantry/client";

/** A part of a line, in percent of its width. */
export interface Bar {
  left: number;
  width: number;
}

export interface TimelineRow {
  name: string;
  state: Request["state"] | Stage["state"] | "not reached";
  attempts: number;
  error: string | null;
  from: string | null;
  to: string | null;
  /** Undefined if the stage was not reached. */
  bar: Bar | undefined;
}

/** A bar stays visible however short its stage was. */
const MIN_WIDTH = 0.6;

/**
 * Places the stages of a Request on the time from its acceptance to its end, or to `now`. The first row is the time that
 * it was queued; stages that it has not reached follow in the order of its type.
 */
export function timelineOf(request: Request, stages: Stage[], declared: string[], now: number): TimelineRow[] {
  const start = Date.parse(request.created_at);
  const reached = stages.map(({ finished_at }) => (finished_at ? Date.parse(finished_at) : 0));
  // The clocks of the database and of this machine may differ.
  const end = request.finished_at ? Date.parse(request.finished_at) : Math.max(now, start, ...reached);
  const barOf = (from: string, to: string | null): Bar => {
    const length = Math.max(end - start, 1);
    const left = clamp(((Date.parse(from) - start) / length) * 100);
    const right = clamp((((to ? Date.parse(to) : end) - start) / length) * 100);
    const width = Math.max(right - left, MIN_WIDTH);
    return { left: Math.min(left, 100 - width), width };
  };
  const queued: TimelineRow = {
    name: "queued",
    state: request.started_at || request.finished_at ? "finished" : "waiting",
    attempts: 1,
    error: null,
    from: request.created_at,
    to: request.started_at ?? request.finished_at,
    bar: barOf(request.created_at, request.started_at ?? request.finished_at),
  };
  const isCancelled = request.state === "cancelled" || request.state === "cancelling";
  const rows = stages.map(({ name, state, attempts, error, started_at, finished_at }): TimelineRow => {
    // A cancel ends a stage as an error does, but nothing went wrong.
    const isCancel = isCancelled && error !== null && error === request.message;
    return {
      name,
      state: isCancel ? "cancelled" : finished_at || !request.finished_at ? state : request.state,
      attempts,
      error: isCancel ? null : error,
      from: started_at,
      // A stage that was interrupted ends with its Request.
      to: finished_at ?? request.finished_at,
      bar: barOf(started_at, finished_at ?? request.finished_at),
    };
  });
  const missing = declared.filter((name) => !stages.some((stage) => stage.name === name));
  const none = { state: "not reached", attempts: 0, error: null, from: null, to: null, bar: undefined } as const;
  return [queued, ...rows, ...missing.map((name) => ({ name, ...none }))];
}

function clamp(percent: number): number {
  return Math.min(100, Math.max(0, percent));
}
