import { setTimeout as wait } from "node:timers/promises";
import { Client, type RequestRecord } from "../demo-client.js";
import { follow } from "../demo-progress.js";
import type { Limits, PlannedCosts } from "./limits.js";

/** Stops following Requests once a limit is reached. */
class LimitedClient extends Client {
  constructor(
    baseUrl: string,
    token: string,
    private readonly limits: Limits,
  ) {
    super(baseUrl, token);
  }

  protected override eventPage(id: string, cursor: string) {
    this.limits.assert();
    return super.eventPage(id, cursor);
  }
}

interface Removal {
  /** The path of the record. */
  path: string;
  query: string;
  /** False for a record that is removed without a Request. */
  isRequest: boolean;
  /** Called when it is removed. */
  onRemoved?: (() => void) | undefined;
}

/** A running Gantry, with what the run has created in it. */
export class Gantry {
  private readonly client: Client;
  private readonly cleanupClient: Client;
  private readonly removals: Removal[] = [];
  private readonly opened = new Set<string>();

  constructor(
    baseUrl: string,
    token: string,
    private readonly limits: Limits,
    private readonly report: (sentence: string) => void,
  ) {
    this.client = new LimitedClient(baseUrl, token, limits);
    this.cleanupClient = new Client(baseUrl, token);
  }

  get<T>(path: string): Promise<T> {
    return this.cleanupClient.get<T>(path);
  }

  /** As `get`; undefined if the record does not exist. */
  async find<T>(path: string): Promise<T | undefined> {
    return this.get<T>(path).catch((error: Error) => {
      if (error.message.includes(" returned 404:")) return undefined;
      throw error;
    });
  }

  /** The ids of the Requests that the run created. */
  get requestIds(): ReadonlySet<string> {
    return this.opened;
  }

  /** Creates a record without a Request. */
  async record<T extends { id: number }>(path: string, name: string, body: object): Promise<T> {
    const created = (await this.client.post<Record<string, T>>(path, body))[name] as T;
    this.removeLater(`/${name}s/${created.id}`, { isRequest: name !== "application" });
    return created;
  }

  /**
   * Plans a resource, counts its costs, provisions it and waits until it is ready.
   *
   * @param query the query of its removal
   * @returns its record's path
   */
  async provision(path: string, body: object, query = ""): Promise<string> {
    const { plan } = await this.client.post<{ plan: PlannedCosts }>(`${path}?dry_run=true`, body);
    this.limits.assert();
    const costs = this.limits.start(path, plan);
    if (costs.warning) this.report(costs.warning);
    const opened = await this.createRequest("POST", path, body);
    const resource = opened.resource ? new URL(opened.resource).pathname : "";
    this.removeLater(resource, { query, onRemoved: costs.end });
    await follow(this.client, [opened]);
    return resource;
  }

  /** Has a Request carried out that creates nothing to be counted. */
  async change(method: "POST" | "PUT", path: string, body: object = {}): Promise<RequestRecord> {
    this.limits.assert();
    const [request] = await follow(this.client, [await this.createRequest(method, path, body)]);
    return request as RequestRecord;
  }

  /** Removes a record at the end, before those that were created earlier. */
  removeLater(path: string, { query = "", isRequest = true, onRemoved }: Partial<Removal> = {}): void {
    this.removals.push({ path, query, isRequest, onRemoved });
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
        failures.push(`${removal.path}: ${(error as Error).message}`);
      }
    }
    return failures;
  }

  private async remove({ path, query, isRequest }: Removal): Promise<void> {
    const [record] = Object.values((await this.find<Record<string, { deleted_at?: string | null }>>(path)) ?? {});
    if (!record || record.deleted_at) return;
    if (!isRequest) return this.cleanupClient.delete(path);
    await follow(this.cleanupClient, [await this.createRequest("DELETE", `${path}${query}`)]);
  }

  /** Cancels what can be cancelled, and waits until every Request has ended. */
  private async endRequests(): Promise<void> {
    for (const id of this.opened) {
      const read = () => this.get<{ request: RequestRecord }>(`/requests/${id}?wait=1`);
      if ((await read()).request.finished_at) continue;
      // A Request that cannot be cancelled ends by itself.
      await this.cleanupClient.post(`/requests/${id}/cancel`, {}).catch(() => {});
      while (!(await read()).request.finished_at) await wait(100);
    }
  }

  private async createRequest(
    method: "POST" | "PUT" | "DELETE",
    path: string,
    body: object = {},
  ): Promise<RequestRecord> {
    const request = await this.cleanupClient.createRequest(method, path, body);
    this.opened.add(request.id);
    return request;
  }
}
