import { randomUUID } from "node:crypto";
import prand from "pure-rand";
import type { Call } from "./call.js";
import { TokenBucket } from "./token-bucket.js";

/** Something that shall go wrong with the calls that match. */
export interface FaultRule {
  /** To take this one rule back; made when left out. */
  id?: string;
  service?: string;
  /** An AWS action, or `*` for all. */
  action: string;
  /** Only calls made with this key. */
  accessKeyId?: string;
  /** Only calls that act in this AWS account, whatever the key. */
  accountId?: string;
  /**
   * `error` refuses; `reset` cuts the connection without doing anything; `hang` never answers; `delay` answers late;
   * `loseResponse` does it and cuts the connection; `throttle` refuses what exceeds a rate; `delayVisibility` has a search by tag not
   * find what was made less than `hideMs` ago.
   */
  kind: "error" | "reset" | "hang" | "delay" | "loseResponse" | "throttle" | "delayVisibility";
  /** How many calls are hit before the rule ends; without end when left out. */
  times?: number;
  /** The share of matching calls hit, 0 to 1, drawn from `seed`, so the same calls are hit in every run. */
  probability?: number;
  seed?: number;
  /**
   * Hits only the nth matching call, from 1, and with it all its attempts by the SDK, which count as one. A lost answer
   * is lost once: further attempts are cut off without being done, as if the caller had died.
   */
  nth?: number;
  code?: string;
  status?: number;
  message?: string;
  delayMs?: number;
  visibilityDelayMs?: number;
  ratePerSecond?: number;
  burst?: number;
}

interface ActiveRule extends FaultRule {
  id: string;
  draw: () => number;
  /** SDK invocations seen, for `nth`. */
  invocations: Map<string, number>;
  bucketOf: (accountId: string) => TokenBucket;
}

export class FaultRules {
  private rules: ActiveRule[] = [];

  add(rule: FaultRule): string {
    const id = rule.id ?? randomUUID();
    const buckets = new Map<string, TokenBucket>();
    const bucketOf = (accountId: string) => {
      const bucket = buckets.get(accountId) ?? new TokenBucket(rule.ratePerSecond ?? 1, rule.burst ?? 1);
      buckets.set(accountId, bucket);
      return bucket;
    };
    this.rules.push({ ...rule, id, draw: seededRandom(rule.seed ?? 1), invocations: new Map(), bucketOf });
    return id;
  }

  /** Takes rules back: all, one, or those scoped to a caller. */
  clear({
    id,
    accessKeyId,
    accountId,
  }: {
    id?: string | undefined;
    accessKeyId?: string | undefined;
    accountId?: string | undefined;
  }): void {
    const goes = (rule: ActiveRule) =>
      (!id || rule.id === id) &&
      (!accessKeyId || rule.accessKeyId === accessKeyId) &&
      (!accountId || rule.accountId === accountId);
    this.rules = this.rules.filter((rule) => !goes(rule));
  }

  /** The rules that hit this call, in the order they were made. */
  triggeredBy(call: Call, accountId: string): FaultRule[] {
    return this.rules
      .filter((rule) => matches(rule, call, accountId))
      .flatMap((rule) => trigger(rule, call, accountId) ?? []);
  }
}

function matches(rule: ActiveRule, call: Call, accountId: string): boolean {
  return (
    (rule.action === "*" || rule.action === call.action) &&
    (!rule.service || rule.service === call.service) &&
    (!rule.accessKeyId || rule.accessKeyId === call.accessKeyId) &&
    (!rule.accountId || rule.accountId === accountId)
  );
}

function trigger(rule: ActiveRule, call: Call, accountId: string): FaultRule | undefined {
  if (rule.times !== undefined && rule.times <= 0) return undefined;
  if (rule.nth !== undefined) return triggerNth(rule, call);
  if (rule.probability !== undefined && rule.draw() >= rule.probability) return undefined;
  if (rule.kind === "throttle" && rule.bucketOf(accountId).take()) return undefined;
  if (rule.times !== undefined) rule.times -= 1;
  return rule;
}

function triggerNth(rule: ActiveRule, call: Call): FaultRule | undefined {
  const invocation = String(call.headers["amz-sdk-invocation-id"] ?? randomUUID());
  const again = rule.invocations.has(invocation);
  if (!again) rule.invocations.set(invocation, rule.invocations.size + 1);
  if (rule.invocations.get(invocation) !== rule.nth) return undefined;
  return again && rule.kind === "loseResponse" ? { ...rule, kind: "reset" } : rule;
}

function seededRandom(seed: number): () => number {
  const random = prand.xoroshiro128plus(seed);
  const resolution = 2 ** 31;
  return () => prand.unsafeUniformIntDistribution(0, resolution - 1, random) / resolution;
}
