import { type Gantry, type Id, NotFound, type Pending, type Plan, type RequestHandle } from "@gantry/client";
import { follow } from "../demo-progress.js";
import type { Limits } from "./limits.js";

/** What the run needs of a resource to remove its records. */
interface Removable {
  get(id: Id): Promise<{ deleted_at?: string | null | undefined }>;
  delete(id: Id): Promise<RequestHandle<void> | void>;
}

/** A resource that the run provisions. */
interface Provisionable<Input, Item> extends Removable {
  create: { (input: Input): Pending<Item>; plan(input: Input): Promise<Plan> };
}

interface Removal {
  what: string;
  id: Id;
  resource: Removable;
  /** Called when it is removed. */
  onRemoved?: (() => void) | undefined;
}

const LIMIT_CHECK_MS = 500;

/** What a run creates in a running Gantry, within its limits. */
export class Run {
  private readonly removals: Removal[] = [];
  private readonly opened = new Map<string, RequestHandle>();

  constructor(
    readonly gantry: Gantry,
    private readonly limits: Limits,
    private readonly report: (sentence: string) => void,
  ) {}

  /** The ids of the Requests that the run created. */
  get requestIds(): { has(id: string): boolean } {
    return this.opened;
  }

  /**
   * Plans a resource, counts its costs, provisions it and waits until it is ready.
   *
   * @throws LimitReached, or Error if the Request failed
   */
  async provision<Input, Item>(what: string, resource: Provisionable<Input, Item>, input: Input): Promise<Item> {
    const plan = await resource.create.plan(input);
    this.limits.assert();
    const costs = this.limits.start(what, plan);
    if (costs.warning) this.report(costs.warning);
    const request = this.opens(await resource.create(input));
    if (request.record.resource) this.removeLater(what, resource, request.record.resource, costs.end);
    return this.follow(request);
  }

  /** Makes a call that creates nothing to be counted, and waits until its Request has ended. */
  async change(call: () => Promise<RequestHandle>): Promise<RequestHandle> {
    this.limits.assert();
    const request = this.opens(await call());
    await this.follow(request);
    return request;
  }

  /** Removes a record at the end, before those that were created earlier. */
  removeLater(what: string, resource: Removable, id: Id, onRemoved?: () => void): void {
    this.removals.push({ what, resource, id, onRemoved });
  }

  /**
   * Ends the unfinished Requests and removes every record, the newest first. Returns what could not be removed, and
   * why.
   */
  async removeAll(): Promise<string[]> {
    const failures: string[] = [];
    await this.endRequests();
    for (const removal of this.removals.splice(0).reverse()) {
      try {
        await this.remove(removal);
        removal.onRemoved?.();
      } catch (error) {
        failures.push(`${removal.what}: ${(error as Error).message}`);
      }
    }
    return failures;
  }

  private async remove({ resource, id }: Removal): Promise<void> {
    const record = await orUndefined(resource.get(id));
    if (!record || record.deleted_at) return;
    const request = await resource.delete(id);
    if (request) await follow([this.opens(request)]);
  }

  /** Cancels what can be cancelled, and waits until every Request has ended. */
  private async endRequests(): Promise<void> {
    for (const request of this.opened.values()) {
      if ((await request.refresh()).record.finished_at) continue;
      // A Request that cannot be cancelled ends by itself, and its failure is not one of the run.
      await request.cancel().catch(() => request.done().catch(() => {}));
    }
  }

  private async follow<Item>(request: RequestHandle<Item>): Promise<Item> {
    const stop = new AbortController();
    const watch = setInterval(() => {
      try {
        this.limits.assert();
      } catch (limit) {
        stop.abort(limit);
      }
    }, LIMIT_CHECK_MS);
    try {
      const [record] = await follow([request], stop.signal);
      return record;
    } finally {
      clearInterval(watch);
    }
  }

  private opens<Item>(request: RequestHandle<Item>): RequestHandle<Item> {
    this.opened.set(request.id, request);
    return request;
  }
}

/** The result of a call; undefined if the record does not exist. */
export async function orUndefined<Item>(call: Promise<Item>): Promise<Item | undefined> {
  return call.catch((error) => {
    if (error instanceof NotFound) return undefined;
    throw error;
  });
}
