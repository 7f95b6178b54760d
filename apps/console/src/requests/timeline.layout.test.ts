import type { Request, Stage } from "@gantry/client";
import { timelineOf } from "./timeline.layout.js";

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 28, 9) + seconds * 1000).toISOString();
const request = (more: Partial<Request>) =>
  ({ created_at: at(0), started_at: null, finished_at: null, ...more }) as Request;
const stage = (name: string, from: number, to: number | null, state: Stage["state"] = "finished"): Stage => ({
  name,
  state,
  attempts: 1,
  started_at: at(from),
  finished_at: to === null ? null : at(to),
  error: null,
});
const now = Date.parse(at(100));

it("places each stage between the acceptance and the end", () => {
  const stages = [stage("create", 20, 60), stage("wait", 60, 100)];
  const rows = timelineOf(request({ started_at: at(20), finished_at: at(100) }), stages, [], now);
  expect(rows.map(({ name, bar }) => [name, bar])).toEqual([
    ["queued", { left: 0, width: 20 }],
    ["create", { left: 20, width: 40 }],
    ["wait", { left: 60, width: 40 }],
  ]);
});

it("lets the bar of a stage that runs end now, and lists the stages that were not reached in their order", () => {
  const running = stage("create", 50, null, "running");
  const rows = timelineOf(request({ started_at: at(50) }), [running], ["create", "wait", "tag"], now);
  expect(rows.map(({ name, state, bar }) => [name, state, bar])).toEqual([
    ["queued", "finished", { left: 0, width: 50 }],
    ["create", "running", { left: 50, width: 50 }],
    ["wait", "not reached", undefined],
    ["tag", "not reached", undefined],
  ]);
});

it("ends a stage that was interrupted with its Request", () => {
  const cancelled = request({ finished_at: at(50), state: "cancelled" });
  const rows = timelineOf(cancelled, [stage("create", 25, null, "running")], [], now);
  expect(rows[1]).toMatchObject({ state: "cancelled", to: at(50), bar: { left: 50, width: 50 } });
});

it("shows a stage that a cancel ended as cancelled, and one that failed before as failed", () => {
  const cancelled = request({ finished_at: at(50), state: "cancelled", message: "Cancelled" });
  const failed = { ...stage("create", 10, 20, "failed"), error: "No room" };
  const ended = { ...stage("wait", 25, 40, "failed"), error: "Cancelled" };
  const rows = timelineOf(cancelled, [failed, ended], [], now);
  expect(rows.map(({ state, error }) => [state, error]).slice(1)).toEqual([
    ["failed", "No room"],
    ["cancelled", null],
  ]);
});

it("keeps every bar visible and inside, also if the clocks differ", () => {
  const rows = timelineOf(request({ started_at: at(0) }), [stage("create", 100, 100)], [], Date.parse(at(-5)));
  for (const { bar } of rows) {
    expect(bar?.width).toBeGreaterThan(0.5);
    expect((bar?.left ?? 0) + (bar?.width ?? 0)).toBeLessThanOrEqual(100);
  }
});
