import { existsSync, readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** What V8 writes for `--cpu-prof`; times in microseconds. */
interface CpuProfile {
  nodes: { id: number; callFrame: CallFrame; children?: number[] }[];
  samples: number[];
  timeDeltas: number[];
}

interface CallFrame {
  functionName: string;
  url: string;
  lineNumber: number;
  columnNumber: number;
}

/** A part of a program, and the share of its CPU time, 0 to 1. */
export interface Part {
  name: string;
  share: number;
}

/**
 * Returns where the CPU time of a profile went, in descending order. What Node and V8 do counts for the file of Gantry, or the
 * package, that called them. Bundles need their source maps beside them.
 */
export function partsOf(file: string): Part[] {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, "utf8")) as CpuProfile;
  const sources = new Sources();
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const partById = new Map<number, string>();

  function partOf(id: number): string {
    const known = partById.get(id);
    if (known !== undefined) return known;
    const { callFrame } = byId.get(id) as CpuProfile["nodes"][number];
    const parent = parents.get(id);
    const part = sources.partOf(callFrame) ?? (parent === undefined ? "node" : partOf(parent));
    // The children of the root are V8's own, such as the garbage collector.
    const isOwn = callFrame.functionName.startsWith("(") && callFrame.functionName !== "(root)" && !callFrame.url;
    partById.set(id, isOwn ? callFrame.functionName : part);
    return partById.get(id) as string;
  }

  const times = new Map<string, number>();
  for (const [i, id] of samples.entries()) {
    const part = partOf(id);
    if (part !== "(idle)") times.set(part, (times.get(part) ?? 0) + (timeDeltas[i] ?? 0));
  }
  const total = [...times.values()].reduce((sum, time) => sum + time, 0);
  const parts = [...times].map(([name, time]) => ({ name, share: time / total }));
  return parts.sort((one, other) => other.share - one.share);
}

class Sources {
  readonly #maps = new Map<string, SourceMap | undefined>();

  /** The package or the file of Gantry that a frame is of; undefined for Node's and V8's own. */
  partOf({ url, lineNumber, columnNumber }: CallFrame): string | undefined {
    if (!url.startsWith("file:")) return undefined;
    const file = fileURLToPath(url);
    const entry = this.#mapOf(file)?.findEntry(lineNumber, columnNumber);
    const source = entry && "originalSource" in entry ? fileURLToPath(new URL(entry.originalSource, url)) : file;
    const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source) ?? [];
    return name ?? relative(root, source);
  }

  #mapOf(file: string): SourceMap | undefined {
    if (!this.#maps.has(file)) {
      const map = `${file}.map`;
      const payload = existsSync(map) && (JSON.parse(readFileSync(map, "utf8")) as SourceMapPayload);
      this.#maps.set(file, payload ? new SourceMap(payload) : undefined);
    }
    return this.#maps.get(file);
  }
}
