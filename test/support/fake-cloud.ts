import type { CloudKind, Intent } from "../../apps/worker/src/engine/cloud-kind.js";

/** A cloud in memory for tests of the engine, which knows no cloud: named boxes, and lids that need their box. */
export class FakeCloud {
  readonly objects = new Map<string, { kind: string; token: string; configured: boolean }>();
  /** Called before and after every call that reaches the cloud; what it throws is the call's outcome. */
  onCall: (name: string, moment: "before" | "after") => void = () => {};
  private next = 1;

  idsOf(kind: string): string[] {
    return [...this.objects].filter(([, object]) => object.kind === kind).map(([id]) => id);
  }

  async call<T>(name: string, act: () => T): Promise<T> {
    await Promise.resolve();
    this.onCall(name, "before");
    const result = act();
    this.onCall(name, "after");
    return result;
  }

  make(kind: string, { token }: Intent<unknown>): string {
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
    find: (cloud, { token }) =>
      cloud.call(`find ${kind}`, () =>
        [...cloud.objects].filter(([, object]) => object.token === token).map(([id]) => id),
      ),
    create: (cloud, intent) => cloud.call(`create ${kind}`, () => cloud.make(kind, intent)),
    sync: (cloud, id) =>
      cloud.call(`sync ${kind}`, () => {
        const object = cloud.objects.get(id);
        if (!object) throw new Error(`no ${id}`);
        object.configured = true;
      }),
    remove: (cloud, id) =>
      cloud.call(`remove ${kind}`, () => {
        const isLastBox = kind === "box" && cloud.idsOf("box").length === 1;
        if (isLastBox && cloud.idsOf("lid").length > 0) throw new Error("the box cannot go before its lids");
        cloud.objects.delete(id);
      }),
  };
}

export const cluster = fakeKind("box");
export const node = fakeKind("lid");
export const fakeKinds = new Map([cluster, node].map((kind) => [kind.kind, kind]));
