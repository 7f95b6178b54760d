import { type CloudKind, duringChange, type Intent } from "@gantry/worker/engine";

/** An in-memory cloud for tests of the engine: clusters, and nodes that must be removed before the last cluster. */
export class FakeCloud {
  readonly objects = new Map<string, { kind: string; token: string; configured: boolean }>();
  /** Runs before and after every call that reaches the cloud. An error thrown here is the outcome of the call. */
  onCall: (name: string, when: "before" | "after") => void = () => {};
  private next = 1;

  idsOf(kind: string): string[] {
    return [...this.objects].filter(([, object]) => object.kind === kind).map(([id]) => id);
  }

  async call<T>(name: string, run: () => T): Promise<T> {
    await Promise.resolve();
    this.onCall(name, "before");
    const result = run();
    this.onCall(name, "after");
    return result;
  }

  /** As `call`, for a call that the lease of its Request must outlast. */
  change<T>(name: string, run: () => T): Promise<T> {
    return duringChange(() => this.call(name, run));
  }

  create(kind: string, { token }: Intent<unknown>): string {
    const id = `${kind}-${this.next++}`;
    this.objects.set(id, { kind, token, configured: false });
    return id;
  }
}

function fakeKind(kind: string): CloudKind<FakeCloud, object> {
  return {
    kind,
    label: kind,
    strategy: "tag",
    obstacles: "none",
    find: (cloud, { token }) =>
      cloud.call(`find ${kind}`, () =>
        [...cloud.objects].filter(([, object]) => object.token === token).map(([id]) => id),
      ),
    create: (cloud, intent) => cloud.change(`create ${kind}`, () => cloud.create(kind, intent)),
    sync: (cloud, id) =>
      cloud.change(`sync ${kind}`, () => {
        const object = cloud.objects.get(id);
        if (!object) throw new Error(`no ${id}`);
        object.configured = true;
      }),
    remove: (cloud, id) =>
      cloud.change(`remove ${kind}`, () => {
        const isLastCluster = kind === "cluster" && cloud.idsOf("cluster").length === 1;
        if (isLastCluster && cloud.idsOf("node").length > 0) throw new Error("the last cluster still has nodes");
        cloud.objects.delete(id);
      }),
  };
}

export const cluster = fakeKind("cluster");
export const node = fakeKind("node");
export const fakeKinds = new Map([cluster, node].map((kind) => [kind.kind, kind]));
