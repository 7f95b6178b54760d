import type { AwsAccount } from "./aws-proxy/accounts.js";
import type { CallFilter, LoggedCall } from "./aws-proxy/call-log.js";
import type { FaultRule } from "./aws-proxy/faults.js";
import type { FirstBootMode } from "./aws-proxy/first-boot.js";
import type { Inventory, InventoryQuery } from "./aws-proxy/inventory.js";
import type { TransitionDelays } from "./aws-proxy/transition-delays.js";

/** Whom a fault is for: without one it hits everybody who uses the emulator, so tests always name theirs. */
export type FaultScope = Pick<FaultRule, "accessKeyId" | "accountId">;
export type FaultOptions = Omit<FaultRule, "action" | "kind">;
export type InjectedError = FaultScope & Pick<FaultRule, "code" | "status" | "message" | "service">;

/** Steers the AWS proxy of a local stack; made from the proxy's URL alone. Every method rejects with a sentence when the proxy says no. */
export class AwsControl {
  constructor(private readonly awsEndpoint: string) {}

  /** An empty AWS account of its own, with a key pair; some 20 ms. */
  createAccount(): Promise<AwsAccount> {
    return this.send("POST", "accounts");
  }

  /** What exists in an account, by kind, without what every AWS account has from the start. */
  inventory(
    { accessKeyId }: Pick<AwsAccount, "accessKeyId">,
    options: Omit<InventoryQuery, "accessKeyId"> = {},
  ): Promise<Inventory> {
    return this.send("POST", "inventory", {}, { accessKeyId, ...options });
  }

  /** The calls that arrived, in order of arrival. */
  calls(filter: CallFilter = {}): Promise<LoggedCall[]> {
    return this.send("GET", "calls", filter);
  }

  /** How slow things become usable: in one account, or in all that have no setting of their own. Replaces what was set before. */
  setTransitionDelays(settings: TransitionDelays, { accountId }: { accountId?: string } = {}): Promise<void> {
    return this.send("PUT", "transition-delays", { accountId }, settings);
  }

  /** What new instances do once they run: in one account, or in all that have no setting of their own. They report at first. */
  setFirstBoot(mode: FirstBootMode, { accountId }: { accountId?: string } = {}): Promise<void> {
    return this.send("PUT", "first-boot", { accountId }, mode);
  }

  /** Adds a rule as it is and gives its id; the methods below are its common forms. */
  async fault(rule: FaultRule): Promise<string> {
    const { id } = await this.send<{ id: string }>("POST", "faults", {}, rule);
    return id;
  }

  /** AWS does it, and the caller never hears. */
  loseResponse(action: string, options: FaultOptions = {}): Promise<string> {
    return this.fault({ ...options, action, kind: "loseResponse" });
  }

  /** AWS says no with `code` and, when left out, HTTP status 400. */
  refuse(action: string, options: FaultOptions & { code: string }): Promise<string> {
    return this.fault({ ...options, action, kind: "error" });
  }

  /** The connection is cut before AWS does anything. */
  reset(action: string, options: FaultOptions = {}): Promise<string> {
    return this.fault({ ...options, action, kind: "reset" });
  }

  /** AWS takes the call and does nothing, for ever. */
  hang(action: string, options: FaultOptions = {}): Promise<string> {
    return this.fault({ ...options, action, kind: "hang" });
  }

  /** AWS takes its time before it does it. */
  delay(action: string, delayMs: number, options: FaultOptions = {}): Promise<string> {
    return this.fault({ ...options, action, kind: "delay", delayMs });
  }

  /** A search by tag does not find what was made less than `hideMs` ago: AWS shows things late now and then. */
  delayVisibility(action: string, visibilityDelayMs: number, options: FaultOptions = {}): Promise<string> {
    return this.fault({ ...options, action, kind: "delayVisibility", visibilityDelayMs });
  }

  /** AWS refuses what exceeds the rate: a bucket for each account. */
  throttle(action: string, options: FaultOptions & { ratePerSecond: number; burst: number }): Promise<string> {
    return this.fault({ ...options, action, kind: "throttle" });
  }

  /** Holds an AWS account to the rates that EC2 publishes, from now on and with full buckets; what exceeds them is `throttled`. */
  enforcePublishedRates({ accountId }: { accountId: string }): Promise<void> {
    return this.send("PUT", "published-rates", { accountId });
  }

  /** The nth call of `action` (`*`: of any) from now on is cut off before AWS does it, or refused when a `code` is given, in all attempts of the SDK. */
  failBefore(action: string, nth: number, failure: InjectedError = {}): Promise<string> {
    return this.fault({ ...failure, action, nth, kind: failure.code ? "error" : "reset" });
  }

  /** The nth call of `action` (`*`: of any) from now on is done, but the caller never hears; the SDK's further attempts are cut off. */
  failAfter(action: string, nth: number, scope: FaultScope & Pick<FaultRule, "service"> = {}): Promise<string> {
    return this.fault({ ...scope, action, nth, kind: "loseResponse" });
  }

  /** Takes rules back: one by its id, those scoped to a caller, or all. */
  clear(scope: FaultScope & { id?: string } = {}): Promise<void> {
    return this.send("DELETE", "faults", scope);
  }

  private async send<T>(method: string, path: string, query: object = {}, body?: unknown): Promise<T> {
    const url = new URL(`/__gantry/${path}`, this.awsEndpoint);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const reply = await fetch(url, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });
    const value = (await reply.json()) as T;
    if (!reply.ok) throw new Error((value as { message: string }).message);
    return value;
  }
}
