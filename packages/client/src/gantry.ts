import { auditRecordsAt } from "./audit.js";
import type { RequestsMethods, Resources } from "./generated/resources.js";
import { routes } from "./generated/routes.js";
import { type Id, idOf } from "./ids.js";
import { type Context, methodsOf } from "./methods.js";
import { type DoneOptions, RequestHandle } from "./request-handle.js";
import { type Call, type CallOptions, type Reply, Transport, type TransportOptions } from "./transport.js";

export interface GantryOptions extends TransportOptions {
  /** The account in which records without another parent are created. */
  account?: Id | undefined;
}

/** The end of one of several Requests. */
export type Outcome = { handle: RequestHandle; record: unknown } | { handle: RequestHandle; error: Error };

export interface RequestHelpers {
  /** A Request by its id, its URL, or the text of a handle: it goes on after the last event that was read. */
  resume<T = unknown>(text: string): RequestHandle<T>;
  /** Waits for the end of several Requests, at most `concurrency` (20) at a time, and returns their ends in the same order. */
  all(handles: Iterable<RequestHandle>, options?: DoneOptions & { concurrency?: number }): Promise<Outcome[]>;
}

export interface Gantry extends Resources {
  readonly requests: RequestsMethods & RequestHelpers;
}

/**
 * A client of Gantry. Every resource of the API is a property with a method for each operation:
 * `await gantry.networks.create({ provider, network }).done()`.
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the properties are defined from the table that their types come from
export class Gantry {
  readonly #context: Context;
  readonly #options: GantryOptions;

  /** @throws TypeError if there is no address */
  constructor(options: GantryOptions = {}) {
    this.#options = options;
    this.#context = { transport: new Transport(options), account: options.account };
    for (const noun of Object.keys(routes) as (keyof typeof routes)[]) {
      Object.defineProperty(this, noun, {
        configurable: true,
        get: () => {
          const value = {
            ...methodsOf(this.#context, routes[noun]),
            ...(noun === "requests" && this.#requestHelpers()),
          };
          Object.defineProperty(this, noun, { value });
          return value;
        },
      });
    }
  }

  /** The same client for another account. */
  as(account: Id): Gantry {
    return new Gantry({ ...this.#options, account });
  }

  /** Any call, such as `call("GET", "/networks", { query: { per_page: 5 } })`, with the same attempts and errors as the methods. */
  call(method: string, path: string, call: Call = {}): Promise<Reply> {
    return this.#context.transport.send(method.toUpperCase(), path, call);
  }

  /**
   * The audit's records of an account, or of the installation, in the order of their chain; `verifyAudit` checks them.
   */
  auditRecords(account: Id | undefined, options: Pick<CallOptions, "reason" | "signal"> = {}) {
    const path = account === undefined ? "/audit/export" : `/accounts/${idOf(account)}/audit/export`;
    return auditRecordsAt(this.#context.transport, path, options);
  }

  #requestHelpers(): RequestHelpers {
    return {
      resume: <T>(text: string) => {
        const [id, cursor] = text.split("#");
        return new RequestHandle<T>(this.#context.transport, { id: idOf(id) }, { cursor });
      },
      all: async (handles, { concurrency = 20, ...options } = {}) => {
        const list = [...handles];
        const outcomes: Outcome[] = [];
        const waiting = list.entries();
        const lane = async () => {
          for (const [index, handle] of waiting) outcomes[index] = await outcomeOf(handle, options);
        };
        await Promise.all(Array.from({ length: concurrency }, lane));
        return outcomes;
      },
    };
  }

  toJSON(): object {
    return this.#context.transport.toJSON();
  }
}

async function outcomeOf(handle: RequestHandle, options: DoneOptions): Promise<Outcome> {
  try {
    return { handle, record: await handle.done(options) };
  } catch (error) {
    return { handle, error: error as Error };
  }
}
