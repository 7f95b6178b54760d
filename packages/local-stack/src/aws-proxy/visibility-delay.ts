import { type Call, withParams } from "./call.js";

const CREATING_ACTION = /^(Create|Run|Register|Import|Allocate|Authorize)/;
/** Exceeds every visibility delay in use. */
const RETENTION_MS = 60_000;

/** The tags of recently created objects. Hides them from searches, as AWS's eventual consistency does. */
export class VisibilityDelay {
  private readonly createdAt = new Map<string, number>();

  /** Records the tags of a creating call. */
  recordTags({ action, params }: Call): void {
    if (!CREATING_ACTION.test(action)) return;
    const now = performance.now();
    for (const [value, at] of this.createdAt) {
      if (now - at < RETENTION_MS) break;
      this.createdAt.delete(value);
    }
    for (const [name, value] of Object.entries(params)) {
      if (!/Tag\.\d+\.Value$/.test(name)) continue;
      // A map iterates in insertion order: reinserted, the oldest entries come first.
      this.createdAt.delete(value);
      this.createdAt.set(value, now);
    }
  }

  /** Changes a search by tag so that the search misses objects created less than `forMs` ago. */
  hideRecent(call: Call, forMs: number): Call {
    if (forMs === 0 || !call.action.startsWith("Describe")) return call;
    const since = performance.now() - forMs;
    const isHidden = (name: string, value: string) => {
      const filter = /^(Filter\.\d+)\.Value\.\d+$/.exec(name)?.[1];
      return filter && call.params[`${filter}.Name`]?.startsWith("tag:") && (this.createdAt.get(value) ?? 0) > since;
    };
    const params = Object.entries(call.params).map(([name, value]) => [name, isHidden(name, value) ? "unseen" : value]);
    return withParams(call, Object.fromEntries(params));
  }
}
