import type { GantryEvent } from "@gantry/client";
import stringWidth from "string-width";
import { duration, render } from "./render.js";
import { after, type View, viewOf } from "./view.js";

const START = Date.parse("2026-11-24T09:00:00Z");
const plain = (_: unknown, text: string) => text;

let position = 0;
function event(id: string, type: string, seconds: number, record: object, message: string | null = null): GantryEvent {
  return {
    id: String(++position),
    type,
    created_at: new Date(START + seconds * 1000).toISOString(),
    subject: { type: "request", id, url: "" },
    message,
    record: { id, type: "start_environment", state: "running", stage: null, message: null, ...record },
  } as unknown as GantryEvent;
}

function seen(...events: GantryEvent[]): View {
  return events.reduce(after, viewOf({ id: "parent" }, START));
}

const children = (count: number, state: string) =>
  Array.from({ length: count }, (_, index) =>
    event(`child-${index}`, `request.${state}`, index, {
      type: "provision_server",
      state,
      message: state === "failed" ? "no capacity" : null,
    }),
  );

it("shows every stage with its time and what it made, and a wait only as long as it lasts", () => {
  const first = [
    event("parent", "request.stage", 0, { stage: "create" }),
    event("parent", "request.waiting", 1, { stage: "create", state: "waiting" }, "NAT gateway pending"),
  ];
  const during = render(seen(...first), START + 5000, { columns: 80, rows: 24 }, plain);
  expect(during[1]).toMatch(/◷ create {4}NAT gateway pending +0:05$/);
  const view = seen(
    ...first,
    event("parent", "request.stage", 65, { stage: "check" }),
    event("parent", "request.finished", 70, { stage: "check", state: "finished" }),
  );
  const lines = render(view, START + 99_000, { columns: 80, rows: 24 }, plain);
  expect(lines[1]).toMatch(/^ {2}✓ create +1:05$/);
  expect(lines[2]).toMatch(/^ {2}✓ check +0:05$/);
});

it("folds children that are done, and shows first those that are not", () => {
  const view = seen(
    event("parent", "request.stage", 0, { stage: "start" }),
    ...children(40, "finished"),
    event("odd", "request.failed", 50, { type: "provision_server", state: "failed", message: "no capacity" }),
  );
  const lines = render(view, START + 60_000, { columns: 80, rows: 24 }, plain);
  expect(lines).toContainEqual("  ✓ 40 done: 40 × provision server");
  expect(lines).toContainEqual(expect.stringMatching(/✕ provision server {2}no capacity/));
});

it.each([
  [40, 10],
  [80, 24],
  [200, 5],
])("fits a boot of a hundred children into %d columns and %d rows", (columns, rows) => {
  const view = seen(event("parent", "request.stage", 0, { stage: "start" }), ...children(100, "running"));
  const lines = render(
    { ...view, lostSince: START, lostReason: "connect ECONNREFUSED 127.0.0.1:3000" },
    START + 7000,
    { columns, rows },
    plain,
  );
  expect(lines.length).toBeLessThan(rows);
  expect(lines.filter((line) => stringWidth(line) > columns)).toEqual([]);
  expect(lines.at(-1)).toMatch(/^no contact since 09:00:00/);
});

it("shows durations as a clock does", () => {
  expect([0, 4000, 754_000, 3_723_000].map(duration)).toEqual(["0:00", "0:04", "12:34", "1:02:03"]);
});
