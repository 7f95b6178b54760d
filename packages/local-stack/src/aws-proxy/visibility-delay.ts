import { type Call, withParams } from "./call.js";

const CREATING_ACTION = /^(Create|Run|Import|Allocate|Authorize)/;
/** Longer than anything is hidden for. */
const RETENTION_MS = 60_000;

/** What was made lately, by its tags: AWS may take a while to show it. */
export class VisibilityDelay {
  private readonly createdAt = new Map<string, number>();

  /** Takes note of the tags that a call gives to something new. */
  recordTags({ action, params }: Call): void {
    if (!CREATING_ACTION.test(action)) return;
    const now = performance.now();
    for (const [value, at] of this.createdAt) {
      if (now - at < RETENTION_MS) break;
      this.createdAt.delete(value);
    }
    for (const [name, value] of Object.entries(params)) {
      if (!/Tag\.\d+\.Value$/.test(name)) continue;
      // Put last, so that the oldest come first.
      this.createdAt.delete(value);
      this.createdAt.set(value, now);
    }
  }

  /** The call, changed so that a search by tag does not find what was made less than `forMs` ago. */
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
