import { requestTypes } from "@gantry/requests";

/** The types that the interleavings are made of: two that are cancelled, two that are not, and a parent. */
export type ModelType =
  | "provision_network"
  | "deprovision_network"
  | "provision_provider"
  | "discover_provider_locations";

/** How long a lease lasts, in seconds. No sum of clock steps comes near it, so that real seconds never matter. */
export const LEASE_SECONDS = 3300;

/** How soon a parent looks again that nobody wakes, in seconds: the engine's own. */
const NEXT_CHECK_SECONDS = 60;

/** A Request as its rules say that it stands. Times are seconds of the model's clock. */
export interface ModelRequest {
  type: ModelType;
  /** The resource that it works on. */
  resource: string;
  /** Those of one queue run one after the other; a child on its parent's resource has none. */
  queue: string | null;
  parent: number | null;
  fence: number;
  stage: string | null;
  dueAt: number;
  deadlineAt: number;
  /** Null where nobody holds it. */
  leaseUntil: number | null;
  isStarted: boolean;
  isEnded: boolean;
  isSuccessful: boolean;
  isCancelled: boolean;
  isRollingBack: boolean;
  /** Something happened since it was claimed that it must not sleep through. */
  isNotified: boolean;
  /** It sleeps until the last of its children has ended. */
  awaitsAll: boolean;
}

/** What a worker got by a claim, which it may believe in for longer than it is true. */
export interface ModelLease {
  request: number;
  fence: number;
  worker: number;
  isFrozen: boolean;
  hasIntent: boolean;
  /** How many children had not ended when it last looked. */
  unfinishedChildren: number;
}

export interface Model {
  clock: number;
  /** In the order in which they were accepted. */
  requests: ModelRequest[];
  leases: Record<string, ModelLease>;
  /** What was written last to the record that all share. */
  record: string;
  /** The ids in the ledger, by resource. */
  ledger: Record<string, string | null>;
}

export const emptyModel = (record: string): Model => ({ clock: 0, requests: [], leases: {}, record, ledger: {} });

/** What a claim's hold is called. */
export const leaseName = (request: number, fence: number) => `${request}#${fence}`;

/** The Request as long as the hold is true; what is done with another one is refused and changes nothing. */
function leasedRequest(m: Model, { request, fence }: ModelLease): ModelRequest | undefined {
  const r = m.requests[request] as ModelRequest;
  return !r.isEnded && r.leaseUntil !== null && r.fence === fence ? r : undefined;
}

export const LEASE_LOST = "refused: replaced";
export const NOT_RUNNABLE = "refused: not runnable";

/** True where a Request is due, nobody holds it and its turn has come. */
export function isRunnable(m: Model, index: number): boolean {
  const r = m.requests[index] as ModelRequest;
  const isFree = r.leaseUntil === null || r.leaseUntil < m.clock;
  const blocks = (other: ModelRequest, i: number) =>
    i !== index && other.queue === r.queue && !other.isEnded && (other.isStarted || i < index);
  const isNext = r.isStarted || r.queue === null || !m.requests.some(blocks);
  return !r.isEnded && r.dueAt <= m.clock && isFree && isNext;
}

export function accept(m: Model, type: ModelType, resource: string, parent: number | null = null): string {
  const sharesResource = parent !== null && m.requests[parent]?.resource === resource;
  m.requests.push({
    type,
    resource,
    queue: sharesResource ? null : resource,
    parent,
    fence: 0,
    stage: null,
    dueAt: m.clock,
    deadlineAt: m.clock + requestTypes[type].deadlineMinutes * 60,
    leaseUntil: null,
    isStarted: false,
    isEnded: false,
    isSuccessful: false,
    isCancelled: false,
    isRollingBack: false,
    isNotified: false,
    awaitsAll: false,
  });
  return "done";
}

export function claim(m: Model, worker: number, request: number): string {
  if (!isRunnable(m, request)) return NOT_RUNNABLE;
  const r = m.requests[request] as ModelRequest;
  const fence = r.fence + 1;
  Object.assign(r, {
    fence,
    leaseUntil: m.clock + LEASE_SECONDS,
    isStarted: true,
    isNotified: false,
    awaitsAll: false,
  });
  m.leases[leaseName(request, fence)] = {
    request,
    fence,
    worker,
    isFrozen: false,
    hasIntent: false,
    unfinishedChildren: 0,
  };
  return "done";
}

export function renew(m: Model, lease: ModelLease): string {
  const r = leasedRequest(m, lease);
  if (!r) return LEASE_LOST;
  r.leaseUntil = m.clock + LEASE_SECONDS;
  return r.isCancelled && !r.isRollingBack ? "told to stop" : "done";
}

export function enter(m: Model, lease: ModelLease, stage: string): string {
  const r = leasedRequest(m, lease);
  if (!r) return LEASE_LOST;
  r.stage = stage;
  return "done";
}

export function write(m: Model, lease: ModelLease, value: string): string {
  if (!leasedRequest(m, lease)) return LEASE_LOST;
  m.record = value;
  return "done";
}

export function intend(m: Model, lease: ModelLease): string {
  const r = leasedRequest(m, lease);
  if (!r) return LEASE_LOST;
  m.ledger[r.resource] ??= null;
  lease.hasIntent = true;
  return "done";
}

export function save(m: Model, lease: ModelLease, cloudId: string): string {
  const r = leasedRequest(m, lease);
  if (!r) return LEASE_LOST;
  m.ledger[r.resource] = cloudId;
  return "done";
}

export function startRollback(m: Model, lease: ModelLease): string {
  const r = leasedRequest(m, lease);
  if (!r) return LEASE_LOST;
  r.isRollingBack = true;
  return "done";
}

/** One that was rung meanwhile is due at once; one that waits for its children is due when the last has ended. */
export function sleep(m: Model, lease: ModelLease, seconds: number, left = 0): string {
  const r = leasedRequest(m, lease);
  if (!r) return LEASE_LOST;
  const wanted = m.clock + (left > 0 ? NEXT_CHECK_SECONDS : seconds);
  const dueAt = r.deadlineAt > m.clock ? Math.min(r.deadlineAt, wanted) : wanted;
  Object.assign(r, { leaseUntil: null, dueAt: r.isNotified ? m.clock : dueAt, awaitsAll: left > 0 && !r.isNotified });
  return "done";
}

export function finish(m: Model, lease: ModelLease, isSuccessful: boolean): string {
  const r = leasedRequest(m, lease);
  if (!r) return LEASE_LOST;
  if (isSuccessful && r.isCancelled) return "refused: cancelled";
  Object.assign(r, { isEnded: true, isSuccessful, leaseUntil: null });
  const parent = r.parent === null ? undefined : m.requests[r.parent];
  if (!parent || parent.isEnded) return "done";
  parent.isNotified = true;
  if (!parent.awaitsAll || unfinishedChildren(m, r.parent).length === 0) parent.dueAt = m.clock;
  return "done";
}

/** Tells a Request, and all that it opened and that has not ended, to stop; only what can be undone listens. */
export function cancel(m: Model, request: number): string {
  const r = m.requests[request] as ModelRequest;
  if (r.isEnded || requestTypes[r.type].onFailure !== "compensate") return "refused: conflict";
  for (const each of [r, ...unfinishedChildren(m, request)]) {
    Object.assign(each, { isCancelled: true, isNotified: true, dueAt: m.clock });
  }
  return "done";
}

/** Opens those children of a list that are not open yet. */
export function openChildren(m: Model, lease: ModelLease, children: { type: ModelType; resource: string }[]): string {
  const isOpen = (child: { type: ModelType; resource: string }) =>
    m.requests.some((r) => r.parent === lease.request && r.type === child.type && r.resource === child.resource);
  const missing = children.filter((child) => !isOpen(child));
  if (missing.length > 0 && !leasedRequest(m, lease)) return LEASE_LOST;
  for (const { type, resource } of missing) accept(m, type, resource, lease.request);
  lease.unfinishedChildren = 0;
  return "done";
}

/** Looks how many of its children have not ended. */
export function checkChildren(m: Model, lease: ModelLease): string {
  lease.unfinishedChildren = unfinishedChildren(m, lease.request).length;
  if (lease.unfinishedChildren > 0) return `${lease.unfinishedChildren} left`;
  return m.requests.some((r) => r.parent === lease.request && !r.isSuccessful) ? "a child failed" : "done";
}

/** Cancels those children that remove nothing, and looks how many have not ended. */
export function cancelChildren(m: Model, lease: ModelLease): string {
  const left = unfinishedChildren(m, lease.request);
  const told = leasedRequest(m, lease) ? left.filter((r) => !r.isCancelled && r.type !== "deprovision_network") : [];
  for (const r of told) Object.assign(r, { isCancelled: true, isNotified: true, dueAt: m.clock });
  lease.unfinishedChildren = left.length;
  return lease.unfinishedChildren > 0 ? `${lease.unfinishedChildren} left` : "done";
}

function unfinishedChildren(m: Model, parent: number | null): ModelRequest[] {
  return m.requests.filter((r) => r.parent === parent && !r.isEnded);
}

/** What can be seen of the model in the database. */
export function visible(m: Model) {
  const requests = m.requests.map((r, i) => ({
    type: r.type,
    fence: r.fence,
    stage: r.stage,
    isStarted: r.isStarted,
    isEnded: r.isEnded,
    isSuccessful: r.isSuccessful,
    isCancelled: r.isCancelled,
    isRollingBack: r.isRollingBack,
    isHeld: r.leaseUntil !== null,
    isLive: r.leaseUntil !== null && r.leaseUntil > m.clock,
    isDue: !r.isEnded && r.dueAt <= m.clock,
    isRunnable: isRunnable(m, i),
  }));
  return { requests, record: m.record, ledger: m.ledger };
}
