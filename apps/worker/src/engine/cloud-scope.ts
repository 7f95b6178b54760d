import type { GantryTagKey, Tags } from "@gantry/resources";
import type { CloudKind, Intent } from "./cloud-kind.js";
import type { Lease } from "./lease.js";
import type { IntentRow, Ledger, LedgerKey, LedgerRow, Owner } from "./ledger.js";
import type { PendingWork } from "./pending-work.js";
import { recordRemoval } from "./refused-removal.js";
import type { RunState } from "./run-state.js";
import { LeaseLost, notYet } from "./stage-errors.js";
import type { Watched } from "./wait.js";
import { CreateCalls, withLease } from "./with-lease.js";

/** A region of a provider, and the record that objects there belong to. */
export interface CloudLocation {
  providerId: number;
  region: string;
  /** True for the credentials that will take the place of the provider's. */
  withNextCredentials?: true;
  /** The Request's own record if absent. */
  owner?: Owner;
  /** The environment that new objects are made for, which their tag `gantry:environment` names; none if absent. */
  environmentId?: number | null;
  /** The record whose own tags new objects get; the owner if absent. */
  tagsOf?: Owner;
}

export interface CloudScopeOptions<Cloud> {
  state: RunState;
  lease: Lease;
  ledger: Ledger;
  location: CloudLocation & { owner: Owner };
  connect: () => Promise<Cloud>;
  /** The longest time until the cloud shows a created object. */
  visibilitySeconds: number;
  work: PendingWork;
}

/**
 * The objects and calls of one region for one record. Every change goes through the ledger, so that no crash creates an
 * object twice or leaves one behind. Every method throws the errors of `Lease.assertHeld` if the run may not go on.
 */
export class CloudScope<Cloud> {
  constructor(private readonly options: CloudScopeOptions<Cloud>) {}

  /**
   * Creates the object unless it exists, brings it to its configuration and returns its id. `key` distinguishes several
   * objects of one kind; an existing object keeps the parameters and the tags of its first intent.
   *
   * @throws NotYet while the outcome of an earlier create call is unknown
   */
  ensure<Params extends object>(kind: CloudKind<Cloud, Params>, params: Params, key = ""): Promise<string> {
    return this.options.work.start(() => this.ensureObject(kind, params, key));
  }

  /** Removes all objects of the record, the newest first. `kinds` are all kinds of the cloud by name. */
  removeAll(kinds: ReadonlyMap<string, CloudKind<Cloud>>): Promise<void> {
    const { work, ledger, location } = this.options;
    return work.start(async () => {
      for (const row of await ledger.liveObjectsOf(location.owner)) await this.removeObject(kindOf(kinds, row), row);
    });
  }

  /** Removes the record's objects of one kind, the newest first. */
  removeOf(kind: CloudKind<Cloud>): Promise<void> {
    const { work, ledger, location } = this.options;
    return work.start(async () => {
      const rows = await ledger.liveObjectsOf(location.owner);
      for (const row of rows.filter((each) => each.kind === kind.kind)) await this.removeObject(kind, row);
    });
  }

  /** Removes the object of one row of the ledger. */
  remove(kind: CloudKind<Cloud>, row: LedgerRow): Promise<void> {
    return this.options.work.start(() => this.removeObject(kind, row));
  }

  /** Whether the cloud shows an object, which kinds without `describeStates` find by its row of the ledger. */
  shows(kind: CloudKind<Cloud>, id: string, row: LedgerRow | undefined): Promise<boolean> {
    return this.call(async (cloud) => {
      if (kind.describeStates) return (await kind.describeStates(cloud, [id])).has(id);
      return !row || (await kind.find(cloud, this.intentOf(row))).includes(id);
    });
  }

  /** Makes calls that change nothing, or that may be repeated. */
  call<T>(calls: (cloud: Cloud) => Promise<T>): Promise<T> {
    return this.options.work.start(() => this.callWithLease(calls));
  }

  /** Returns the watch of an object here for `poll`. `seen` is its state now, empty if it does not exist. */
  watch({ kind }: Pick<CloudKind<Cloud>, "kind">, id: string, seen: string): Watched {
    const { providerId, region } = this.options.location;
    return { providerId, region, kind, id, seen };
  }

  private async ensureObject(kind: CloudKind<Cloud>, params: object, key: string): Promise<string> {
    const { ledger, location } = this.options;
    const object: LedgerKey = { ...location, kind: kind.kind, key };
    const row = await ledger.intend(object, params);
    if (row.readyAt && row.cloudId) return row.cloudId;
    const intent = this.intentOf(row);
    let id = row.cloudId ?? undefined;
    if (!id && !row.isNew) {
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

  // A failed create may still have made the object: the time to look for it starts with the failure. There is nothing to
  // look for if no create was sent, for example because AWS's rates held it back, or if the cloud refused it.
  private async createAndSave(kind: CloudKind<Cloud>, intent: Intent<unknown>, row: IntentRow): Promise<string> {
    const { ledger } = this.options;
    const calls = new CreateCalls(this.options.lease);
    const couldExist = !row.isNew && row.unseenSeconds !== null;
    try {
      const cloud = await this.connectWithLease();
      const id = await withLease(calls, () => kind.create(cloud, intent));
      await this.saveOrRemove(kind, row, id);
      return id;
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
      await (couldExist || calls.mayHaveCreated ? ledger.recordAttempt(row) : ledger.recordAbsence(row));
      throw error;
    }
  }

  /**
   * Returns the object that an earlier create made, if any; of several, keeps the oldest and removes the others. An
   * object that is not found counts as absent at once if the create may be repeated, else after the visibility time.
   */
  private async adopt(
    kind: CloudKind<Cloud>,
    intent: Intent<unknown>,
    row: LedgerRow,
    isRepeatable: boolean,
  ): Promise<string | undefined> {
    if (row.unseenSeconds === null) return undefined;
    const [first, ...rest] = await this.callWithLease((cloud) => kind.find(cloud, intent));
    for (const extra of rest) await this.callWithLease((cloud) => kind.remove(cloud, extra, intent.params));
    if (first) return first;
    const left = this.options.visibilitySeconds - row.unseenSeconds;
    if (left > 0 && !isRepeatable) {
      throw notYet(`AWS to show the ${kind.label} that an interrupted call may have created`, {
        retryInSeconds: left + 0.1,
      });
    }
    return undefined;
  }

  // A worker that lost its lease during the create may be the only one that knows the id: it removes the object itself.
  private async saveOrRemove(kind: CloudKind<Cloud>, row: LedgerRow, id: string): Promise<void> {
    const { ledger, connect } = this.options;
    try {
      await ledger.save(row, id, !kind.sync, `Created ${kind.label} ${id}`);
    } catch (error) {
      if (error instanceof LeaseLost) {
        const current = await ledger.read(row);
        const isUnknown = current?.removedAt || (current?.cloudId && current.cloudId !== id);
        if (isUnknown) await kind.remove(await connect(), id, row.params);
      }
      throw error;
    }
  }

  private async removeObject(kind: CloudKind<Cloud>, row: LedgerRow): Promise<void> {
    const id = row.cloudId ?? (await this.adopt(kind, this.intentOf(row), row, false));
    if (id) {
      await this.callWithLease((cloud) => kind.remove(cloud, id, row.params)).catch((error: unknown) => {
        const { obstacles, label } = kind;
        if (obstacles !== "none") {
          const ask = () => this.callWithLease((cloud) => obstacles(cloud, id));
          recordRemoval(error, { object: `the ${label} ${id}`, obstacles: ask });
        }
        throw error;
      });
    }
    await this.options.ledger.markRemoved(row);
  }

  private async callWithLease<T>(calls: (cloud: Cloud) => Promise<T>): Promise<T> {
    const cloud = await this.connectWithLease();
    return withLease(this.options.lease, () => calls(cloud));
  }

  private async connectWithLease(): Promise<Cloud> {
    await this.options.lease.assertHeld();
    return this.options.connect();
  }

  private intentOf(row: LedgerRow): Intent<unknown> {
    const { environmentId } = this.options.location;
    return {
      token: row.id,
      params: row.params,
      tags: {
        Name: `gantry-${row.resourceType}-${row.resourceId}`,
        ...row.tags,
        "gantry:account": this.options.state.request.accountId,
        "gantry:resource": `${row.resourceType}/${row.resourceId}`,
        "gantry:request": row.requestId,
        "gantry:token": row.id,
        ...(environmentId != null && { "gantry:environment": String(environmentId) }),
      } satisfies Tags & { [Key in GantryTagKey]?: string },
    };
  }
}

/** Returns the kind of a row of the ledger. */
export function kindOf<Cloud>(kinds: ReadonlyMap<string, CloudKind<Cloud>>, row: { kind: string }): CloudKind<Cloud> {
  const kind = kinds.get(row.kind);
  if (!kind) throw new Error(`no such kind of cloud object: ${row.kind}`);
  return kind;
}
