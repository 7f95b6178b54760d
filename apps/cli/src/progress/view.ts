import type { GantryEvent, Request } from "@gantry/client";

/** A Request as the live view shows it. */
export interface RequestView {
  id: string;
  /** What it does: `provision network`. */
  title: string;
  state: Request["state"];
  stages: { name: string; startedAt: number; endedAt?: number; note?: string; wait?: string }[];
  startedAt: number;
  endedAt?: number;
  message?: string;
  children: RequestView[];
}

export interface View {
  root: RequestView;
  /** Since when Gantry cannot be reached. */
  lostSince?: number;
  lostReason?: string | undefined;
}

const ENDS: readonly string[] = ["finished", "failed", "cancelled"];

/** The view of a Request before its first event. */
export function viewOf(request: Pick<Request, "id"> & Partial<Request>, now: number): View {
  return { root: viewOfRequest(request, now) };
}

/** The view after an event. */
export function after(view: View, event: GantryEvent): View {
  const record = event.record as unknown as (Request & { id: string }) | null;
  if (event.subject.type !== "request" || !record) return view;
  const at = Date.parse(event.created_at);
  const { root } = view;
  if (event.subject.id === root.id) return { ...view, root: changed(root, event, record, at) };
  const known = root.children.find(({ id }) => id === event.subject.id) ?? viewOfRequest(record, at);
  const child = changed(known, event, record, at);
  const children = [...root.children.filter(({ id }) => id !== child.id), child].sort(
    (one, other) => one.startedAt - other.startedAt,
  );
  return { ...view, root: { ...root, children } };
}

function viewOfRequest(request: Pick<Request, "id"> & Partial<Request>, now: number): RequestView {
  return {
    id: request.id,
    title: titleOf(request),
    state: request.state ?? "pending",
    stages: [],
    startedAt: request.created_at ? Date.parse(request.created_at) : now,
    children: [],
  };
}

function titleOf({ type, subject }: Partial<Request>): string {
  const what = type?.replaceAll("_", " ") ?? "";
  return subject && !what.includes(subject.type.replaceAll("_", " "))
    ? `${what} of ${subject.type.replaceAll("_", " ")} ${subject.id}`
    : what;
}

function changed(request: RequestView, event: GantryEvent, record: Request, at: number): RequestView {
  const isOver = ENDS.includes(record.state);
  const title = titleOf(record) || request.title;
  const next: RequestView = {
    ...request,
    title,
    state: record.state,
    ...(isOver && { endedAt: at }),
    ...(record.message && { message: record.message }),
  };
  const last = request.stages.at(-1);
  const before = request.stages.slice(0, -1);
  if (event.type === "request.stage" && record.stage && record.stage !== last?.name) {
    const closed = last ? [ended(last, at)] : [];
    return { ...next, stages: [...before, ...closed, { name: record.stage, startedAt: at }] };
  }
  if (!last) return next;
  if (event.type === "request.message" && event.message)
    return { ...next, stages: [...before, { ...last, note: event.message }] };
  if (event.type === "request.waiting")
    return { ...next, stages: [...before, { ...last, wait: event.message ?? "waits" }] };
  return isOver ? { ...next, stages: [...before, ended(last, at)] } : next;
}

/** A stage that is over waits no more. */
function ended({ wait: _, ...stage }: RequestView["stages"][number], at: number): RequestView["stages"][number] {
  return { ...stage, endedAt: stage.endedAt ?? at };
}
