import { requestTypes } from "@gantry/resources";
import { LEASE_SECONDS, leaseName, type Model, type ModelLease, type ModelRequest, type ModelType } from "./model.js";

/** A parent that waits for its children checks them at least this often: the engine's value. */
const NEXT_CHECK_SECONDS = 60;

export const LEASE_LOST = "refused: lease lost";
export const NOT_RUNNABLE = "refused: not runnable";

/** The Request while the lease is valid. An action on a lost lease is refused and changes nothing. */
function leasedRequest(m: Model, { request, fence }: ModelLease): ModelRequest | undefined {
  const r = m.requests[request] as ModelRequest;
  return !r.isEnded && r.leaseUntil !== null && r.fence === fence ? r : undefined;
}

/** True if a Request is due, free, and the next one of its queue. */
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
  return r.isCancelled && !r.isRollingBack ? "cancelled" : "done";
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

/** A notified Request is due at once. One that waits for its children is due when the last child has ended. */
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

/** Cancels a Request and its unfinished children. Only a type that compensates can be cancelled. */
export function cancel(m: Model, request: number): string {
  const r = m.requests[request] as ModelRequest;
  if (r.isEnded || requestTypes[r.type].onFailure !== "compensate") return "refused: conflict";
  for (const each of [r, ...unfinishedChildren(m, request)]) {
    Object.assign(each, { isCancelled: true, isNotified: true, dueAt: m.clock });
  }
  return "done";
}

/** Creates the missing children of a list. */
export function createChildren(m: Model, lease: ModelLease, children: { type: ModelType; resource: string }[]): string {
  const isOpen = (child: { type: ModelType; resource: string }) =>
    m.requests.some((r) => r.parent === lease.request && r.type === child.type && r.resource === child.resource);
  const missing = children.filter((child) => !isOpen(child));
  if (missing.length > 0 && !leasedRequest(m, lease)) return LEASE_LOST;
  for (const { type, resource } of missing) accept(m, type, resource, lease.request);
  lease.unfinishedChildren = 0;
  return "done";
}

export function checkChildren(m: Model, lease: ModelLease): string {
  lease.unfinishedChildren = unfinishedChildren(m, lease.request).length;
  if (lease.unfinishedChildren > 0) return `${lease.unfinishedChildren} left`;
  return m.requests.some((r) => r.parent === lease.request && !r.isSuccessful) ? "a child failed" : "done";
}

/** Cancels the unfinished children, except those that remove something. */
export function cancelChildren(m: Model, lease: ModelLease): string {
  const left = unfinishedChildren(m, lease.request);
  const toCancel = leasedRequest(m, lease)
    ? left.filter((r) => !r.isCancelled && r.type !== "deprovision_network")
    : [];
  for (const r of toCancel) Object.assign(r, { isCancelled: true, isNotified: true, dueAt: m.clock });
  lease.unfinishedChildren = left.length;
  return lease.unfinishedChildren > 0 ? `${lease.unfinishedChildren} left` : "done";
}

function unfinishedChildren(m: Model, parent: number | null): ModelRequest[] {
  return m.requests.filter((r) => r.parent === parent && !r.isEnded);
}

/** The part of the model that is visible in the database. */
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
