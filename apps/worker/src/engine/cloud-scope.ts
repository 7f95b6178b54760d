import type { CloudKind, Intent } from "./cloud-kind.js";
import type { Lease } from "./lease.js";
import type { Ledger, LedgerRow, Owner, Slot } from "./ledger.js";
import type { PendingWork } from "./pending-work.js";
import { LeaseLost, notYet } from "./stage-errors.js";
import type { Watched } from "./watch.js";
import { withLease } from "./with-lease.js";

/** Where in the cloud, and for which record, something is made. */
export interface CloudLocation {
  providerId: number;
  region: string;
  /** The record that the objects belong to: the Request's own where absent. */
  owner?: Owner;
}

export interface CloudScopeOptions<Cloud> {
  lease: Lease;
  ledger: Ledger;
  location: CloudLocation & { owner: Owner };
  connect: () => Promise<Cloud>;
  /** How long the cloud may take to show what was made, in seconds. */
  visibilitySeconds: number;
  work: PendingWork;
}

/** Does things in the cloud one at a time through the ledger, so that no crash makes or leaves a thing twice. */
export class CloudScope<Cloud> {
  constructor(private readonly options: CloudScopeOptions<Cloud>) {}

  /**
   * Gives the id of the object, which is made unless it was before. `key` tells apart several of one kind.
   *
   * @throws NotYet while the outcome of an earlier try cannot be known
   */
  ensure<Params extends object>(kind: CloudKind<Cloud, Params>, params: Params, key = ""): Promise<string> {
    return this.options.work.start(() => this.ensureObject(kind, params, key));
  }

  /** Removes everything that was made for the record, the newest first. */
  removeAll(kinds: ReadonlyMap<string, CloudKind<Cloud>>): Promise<void> {
    return this.options.work.start(() => this.removeAllObjects(kinds));
  }

  /** Removes what one row of the ledger stands for. */
  remove(kind: CloudKind<Cloud>, row: LedgerRow): Promise<void> {
    return this.options.work.start(() => this.removeObject(kind, row));
  }

  /** Makes a call that changes nothing, or that may be repeated. */
  call<T>(act: (cloud: Cloud) => Promise<T>): Promise<T> {
    return this.options.work.start(() => this.callWithLease(act));
  }

  /** Has something in this place looked at while the Request sleeps; `seen` is how it is now. */
  watch({ kind }: Pick<CloudKind<Cloud>, "kind">, id: string, seen: string): Watched {
    const { providerId, region } = this.options.location;
    return { providerId, region, kind, id, seen };
  }

  private async ensureObject<Params extends object>(
    kind: CloudKind<Cloud, Params>,
    wanted: Params,
    key: string,
  ): Promise<string> {
    const { ledger, lease, location } = this.options;
    const slot: Slot = { ...location, kind: kind.kind, key };
    const { row, isNew } = await ledger.intend(slot, wanted);
    if (row.readyAt && row.cloudId) return row.cloudId;
    const intent = intentOf<Params>(row, lease);
    let id = row.cloudId ?? undefined;
    if (!id && !isNew) {
      id = await this.adopt(kind, intent, row, kind.strategy === "token");
      if (id) await this.saveOrRemove(kind, row, id);
      else await ledger.recordAttempt(row);
    }
    const objectId = id ?? (await this.createAndSave(kind, intent, row));
    if (kind.sync) {
      await this.callWithLease((cloud) => kind.sync?.(cloud, objectId, intent) ?? Promise.resolve());
      await ledger.markReady(row);
    }
    return objectId;
  }

  // Where this fails, the object may exist all the same: how long to look for it counts from now.
  private async createAndSave<Params extends object>(
    kind: CloudKind<Cloud, Params>,
    intent: Intent<Params>,
    row: LedgerRow,
  ): Promise<string> {
    const { lease, ledger } = this.options;
    const cloud = await this.connectWithLease();
    try {
      const id = await withLease(lease, () => kind.create(cloud, intent));
      await this.saveOrRemove(kind, row, id);
      return id;
    } catch (error) {
      if (!(error instanceof LeaseLost)) await ledger.recordAttempt(row);
      throw error;
    }
  }

  /**
   * What an earlier try has made, if it made anything; of several the oldest stays and the rest go. That there is nothing
   * is believed when the cloud has had time to show it, or at once where the create may simply be repeated.
   */
  private async adopt<Params extends object>(
    kind: CloudKind<Cloud, Params>,
    intent: Intent<Params>,
    row: LedgerRow,
    isRepeatable: boolean,
  ): Promise<string | undefined> {
    const [first, ...rest] = await this.callWithLease((cloud) => kind.find(cloud, intent));
    for (const extra of rest) await this.callWithLease((cloud) => kind.remove(cloud, extra, intent.params));
    if (first) return first;
    const left = this.options.visibilitySeconds - row.unseenSeconds;
    if (left > 0 && !isRepeatable) {
      throw notYet(`Looking for ${kind.label} that an interrupted call may have made`, { retryInSeconds: left + 0.1 });
    }
    return undefined;
  }

  /** A worker that was replaced during its create knows an id that nobody else does: it cleans up after itself. */
  private async saveOrRemove<Params extends object>(
    kind: CloudKind<Cloud, Params>,
    row: LedgerRow,
    id: string,
  ): Promise<void> {
    try {
      await this.options.ledger.save(row, id, !kind.sync, `Created ${kind.label} ${id}`);
    } catch (error) {
      if (error instanceof LeaseLost) {
        const current = await this.options.ledger.read(row);
        const isUnknown = current?.removedAt || (current?.cloudId && current.cloudId !== id);
        if (isUnknown) await kind.remove(await this.options.connect(), id, row.params as unknown as Params);
      }
      throw error;
    }
  }

  private async removeAllObjects(kinds: ReadonlyMap<string, CloudKind<Cloud>>): Promise<void> {
    const { ledger, location } = this.options;
    for (const row of await ledger.liveObjectsOf(location.owner)) {
      const kind = kinds.get(row.kind);
      if (!kind) throw new Error(`no such kind of cloud object: ${row.kind}`);
      await this.removeObject(kind, row);
    }
  }

  private async removeObject(kind: CloudKind<Cloud>, row: LedgerRow): Promise<void> {
    const id = row.cloudId ?? (await this.adopt(kind, intentOf(row, this.options.lease), row, false));
    if (id) await this.callWithLease((cloud) => kind.remove(cloud, id, row.params));
    await this.options.ledger.markRemoved(row);
  }

  private async callWithLease<T>(act: (cloud: Cloud) => Promise<T>): Promise<T> {
    const cloud = await this.connectWithLease();
    return withLease(this.options.lease, () => act(cloud));
  }

  /** The cloud, where a call to it may be started now. */
  private async connectWithLease(): Promise<Cloud> {
    await this.options.lease.assertHeld();
    return this.options.connect();
  }
}

function intentOf<Params>(row: LedgerRow, lease: Lease): Intent<Params> {
  return {
    token: row.id,
    params: row.params as Params,
    tags: {
      "gantry:account": lease.request.accountId,
      "gantry:resource": `${row.resourceType}/${row.resourceId}`,
      "gantry:request": row.requestId,
      "gantry:token": row.id,
      Name: `gantry-${row.resourceType}-${row.resourceId}`,
    },
  };
}
