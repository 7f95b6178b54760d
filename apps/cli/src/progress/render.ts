import { fit, pad } from "../table.js";
import type { Terminal } from "../terminal.js";
import type { RequestView, View } from "./view.js";

type Style = Terminal["style"];

const MARKS = { finished: "✓", failed: "✕", cancelled: "⊘", rolling_back: "↺", cancelling: "↺", waiting: "◷" } as const;
const COLORS = {
  finished: "green",
  failed: "red",
  cancelled: "yellow",
  rolling_back: "yellow",
  cancelling: "yellow",
} as const;
const FRAMES = ["◐", "◓", "◑", "◒"];
/** The room for a duration such as `12:34`. */
const TIME_WIDTH = 7;

export interface Room {
  columns: number;
  rows: number;
}

/** The lines of a view at a moment: no line is wider than the window, and there are fewer than its rows. */
export function render(
  { root, lostSince, lostReason }: View,
  now: number,
  { columns, rows }: Room,
  style: Style,
): string[] {
  const lines = [
    heading(root, style),
    ...stageLines(root, now, columns, style),
    ...childLines(root, now, { columns, rows: rows - root.stages.length - 3 }, style),
  ];
  if (lostSince !== undefined) {
    lines.push(style("yellow", `no contact since ${clock(lostSince)}, trying${lostReason ? ` (${lostReason})` : ""}`));
  }
  const most = Math.max(3, rows - 1);
  return (lines.length > most ? [...lines.slice(0, 1), ...lines.slice(lines.length - most + 1)] : lines).map((line) =>
    cut(line, columns),
  );
}

function heading({ id, title }: RequestView, style: Style): string {
  return `${style("bold", "Request")} ${id}  ${title}`;
}

function stageLines(request: RequestView, now: number, columns: number, style: Style): string[] {
  const width = Math.max(8, ...request.stages.map(({ name }) => name.length));
  return request.stages.map(({ name, startedAt, endedAt, note, wait }, index) => {
    const isLast = index === request.stages.length - 1;
    const state = isLast ? request.state : "finished";
    const text = `  ${mark(state, now, style)} ${pad(name, width)}  ${wait ?? note ?? ""}`;
    return withTime(text, (endedAt ?? request.endedAt ?? now) - startedAt, columns);
  });
}

/** Children that have finished fold into one line. */
function childLines({ children }: RequestView, now: number, { columns, rows }: Room, style: Style): string[] {
  const done = children.filter(({ state }) => state === "finished");
  const open = children.filter(({ state }) => state !== "finished");
  const shown = open.slice(0, Math.max(1, rows - 2));
  return [
    ...(done.length > 0
      ? [`  ${style("green", "✓")} ${done.length} done: ${counted(done.map(({ title }) => title))}`]
      : []),
    ...shown.map((child) => {
      const stage = child.stages.at(-1);
      const text = `  ${mark(child.state, now, style)} ${child.title}  ${[stage?.name, child.message ?? stage?.wait ?? stage?.note].filter(Boolean).join("  ")}`;
      return withTime(text, (child.endedAt ?? now) - child.startedAt, columns);
    }),
    ...(open.length > shown.length ? [`  … and ${open.length - shown.length} more`] : []),
  ];
}

/** `3 × provision server, instance update` */
function counted(titles: readonly string[]): string {
  const kinds = [...new Set(titles.map((title) => title.replace(/ of .*/, "")))];
  return kinds
    .map((kind) => [titles.filter((title) => title.startsWith(kind)).length, kind] as const)
    .map(([count, kind]) => (count > 1 ? `${count} × ${kind}` : kind))
    .join(", ");
}

function mark(state: RequestView["state"], now: number, style: Style): string {
  const sign = MARKS[state as keyof typeof MARKS] ?? FRAMES[Math.floor(now / 250) % FRAMES.length] ?? "◐";
  const color = COLORS[state as keyof typeof COLORS];
  return color ? style(color, sign) : sign;
}

/** A narrow window has no column of times. */
function withTime(text: string, ms: number, columns: number): string {
  if (columns < 60) return text;
  const room = Math.min(columns, 100) - TIME_WIDTH;
  return `${pad(fit(text, room), room)}${duration(ms).padStart(TIME_WIDTH)}`;
}

function cut(line: string, columns: number): string {
  return fit(line, columns);
}

/** `0:04`, `12:34`, `1:02:03` */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (value: number) => String(value).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

function clock(at: number): string {
  return new Date(at).toISOString().slice(11, 19);
}
