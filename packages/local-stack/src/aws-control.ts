import type { AccountOptions, AwsAccount } from "./aws-proxy/accounts.js";
import type { CallFilter, LoggedCall } from "./aws-proxy/call-log.js";
import type { CatalogueMode } from "./aws-proxy/catalogue/catalogue.js";
import type { FaultRule } from "./aws-proxy/faults.js";
import type { FirstBootMode } from "./aws-proxy/first-boot.js";
import type { Inventory, InventoryQuery } from "./aws-proxy/inventory.js";
import type { Violation, ViolationFilter } from "./aws-proxy/models/violations.js";
import type { TransitionDelays } from "./aws-proxy/state-transitions.js";

/** The callers that a fault hits. Without a scope it hits all users of the emulator, so tests always pass one. */
export type FaultScope = Pick<FaultRule, "accessKeyId" | "accountId">;
export type FaultOptions = Omit<FaultRule, "action" | "kind">;

/** Controls the AWS proxy of a local stack; needs only the proxy's URL. Methods reject with the proxy's error message. */
export class AwsControl {
  constructor(private readonly awsEndpoint: string) {}

  /** Creates an empty AWS account with a key pair; takes some 20 ms. */
  createAccount(options: AccountOptions = {}): Promise<AwsAccount> {
    return this.send("POST", "accounts", {}, options);
  }

  /** Lists the objects of an account by kind, without those that every new AWS account has. */
  inventory(
    { accessKeyId }: Pick<AwsAccount, "accessKeyId">,
    options: Omit<InventoryQuery, "accessKeyId"> = {},
  ): Promise<Inventory> {
    return this.send("POST", "inventory", {}, { accessKeyId, ...options });
  }

  /** Lists calls in order of arrival. */
  calls(filter: CallFilter = {}): Promise<LoggedCall[]> {
    return this.send("GET", "calls", filter);
  }

  /** Lists the calls that violate AWS's models of its services. */
  violations(filter: ViolationFilter = {}): Promise<Violation[]> {
    return this.send("GET", "violations", filter);
  }

  /** Removes and returns violations, for a test that makes them on purpose. `LocalStack.stop` rejects if any remain. */
  takeViolations(filter: ViolationFilter): Promise<Violation[]> {
    return this.send("DELETE", "violations", filter);
  }

  /** Replaces the transition delays of one account, or those of all accounts without their own. */
  setTransitionDelays(settings: TransitionDelays, { accountId }: { accountId?: string } = {}): Promise<void> {
    return this.send("PUT", "transition-delays", { accountId }, settings);
  }

  /** Sets the offers of one account, or of all accounts without their own. */
  setCatalogue(mode: CatalogueMode, { accountId }: { accountId?: string } = {}): Promise<void> {
    return this.send("PUT", "catalogue", { accountId }, mode);
  }

  /** Sets the first boot of new instances in one account, or in all accounts without their own mode. The default is "reports". */
  setFirstBoot(mode: FirstBootMode, { accountId }: { accountId?: string } = {}): Promise<void> {
    return this.send("PUT", "first-boot", { accountId }, mode);
  }

  /** Sets AWS's clock ahead in the answers to one account, in milliseconds. */
  setClockOffset(offsetMs: number, { accountId }: { accountId: string }): Promise<void> {
    return this.send("PUT", "clock-offset", { accountId }, offsetMs);
  }

  /** Adds a rule and returns its id; the methods below are its common forms. */
  async fault(rule: FaultRule): Promise<string> {
    const { id } = await this.send<{ id: string }>("POST", "faults", {}, rule);
    return id;
  }

  /** AWS executes the call; the connection is cut instead of a response. */
  loseResponse(action: string, options: FaultOptions = {}): Promise<string> {
    return this.fault({ ...options, action, kind: "loseResponse" });
  }

  /** AWS rejects the call with `code`; the HTTP status is 400 by default. */
  refuse(action: string, options: FaultOptions & { code: string }): Promise<string> {
    return this.fault({ ...options, action, kind: "error" });
  }

  /** The connection is cut before AWS executes the call. */
  reset(action: string, options: FaultOptions = {}): Promise<string> {
    return this.fault({ ...options, action, kind: "reset" });
  }

  /** AWS accepts the call, neither executes it nor responds; the connection is cut when the rule is removed. */
  hang(action: string, options: FaultOptions = {}): Promise<string> {
    return this.fault({ ...options, action, kind: "hang" });
  }

  /** AWS waits before it executes the call. */
  delay(action: string, delayMs: number, options: FaultOptions = {}): Promise<string> {
    return this.fault({ ...options, action, kind: "delay", delayMs });
  }

  /** A search by tag misses objects created less than `delayMs` ago, as under AWS's eventual consistency. */
  delayVisibility(action: string, delayMs: number, options: FaultOptions = {}): Promise<string> {
    return this.fault({ ...options, action, kind: "delayVisibility", delayMs });
  }

  /** AWS rejects calls above the rate; each account has its own token bucket. */
  throttle(action: string, options: FaultOptions & { ratePerSecond: number; burst: number }): Promise<string> {
    return this.fault({ ...options, action, kind: "throttle" });
  }

  /** Enforces EC2's published rates in an AWS account from now on, with full buckets; calls above them are `throttled`. */
  enforcePublishedRates({ accountId }: { accountId: string }): Promise<void> {
    return this.send("PUT", "published-rates", { accountId });
  }

  /**
   * From now on callers in an AWS account need the permissions that their IAM policies grant, compared only by action.
   */
  enforcePolicies({ accountId }: { accountId: string }): Promise<void> {
    return this.send("PUT", "enforced-policies", { accountId });
  }

  /** Removes rules: one by its id, those scoped to a caller, or all. */
  clear(scope: FaultScope & { id?: string } = {}): Promise<void> {
    return this.send("DELETE", "faults", scope);
  }

  private async send<T>(method: string, path: string, query: object = {}, body?: unknown): Promise<T> {
    const url = new URL(`/__gantry/${path}`, this.awsEndpoint);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const response = await fetch(url, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });
    const value = (await response.json()) as T;
    if (!response.ok) throw new Error((value as { message: string }).message);
    return value;
  }
}
