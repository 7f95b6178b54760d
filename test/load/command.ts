import { spawnSync } from "node:child_process";
import { Gantry } from "@gantry/client";
import { bundleCommand } from "../support/gantry-command.js";
import type { BenchEnvironment, LaunchedProcess } from "./bench-environment.js";
import { medianOf } from "./statistics.js";

const ROUNDS = 15;
const CALLS = 400;
const WARM_UP = 50;
const PATH = "/networks?per_page=5";

/** Milliseconds, medians of runs in turns: what the command adds to an empty process and curl, and the client to a call. */
export async function measureCommand(
  { token }: BenchEnvironment,
  { url }: LaunchedProcess,
): Promise<{ helpExtraMs: number; listExtraMs: number; fetchExtraMs: number; callExtraMs: number }> {
  const command = await bundleCommand({ GANTRY_URL: url, GANTRY_TOKEN: token });
  const programs = {
    node: [process.execPath, "-e", "0"],
    help: [process.execPath, command.file, "--help"],
    curl: ["curl", "-sS", "-o", "/dev/null", "-H", `Authorization: Bearer ${token}`, `${url}${PATH}`],
    // Node compiles the modules of fetch when a process first calls it.
    fetch: [process.execPath, "-e", `fetch("${url}/health").then((r) => r.text()).then(() => process.exit())`],
    list: [process.execPath, command.file, "networks", "list", "--max", "5"],
  };
  const times: Record<keyof typeof programs, number[]> = { node: [], help: [], curl: [], fetch: [], list: [] };
  for (let round = -1; round < ROUNDS; round++) {
    for (const [name, [file = "", ...words]] of Object.entries(programs)) {
      const start = performance.now();
      const { status, stderr } = spawnSync(file, words, { env: command.env, encoding: "utf8" });
      if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr}`);
      if (round >= 0) times[name as keyof typeof times].push(performance.now() - start);
    }
  }
  command.close();
  const node = medianOf(times.node);
  return {
    helpExtraMs: medianOf(times.help) - node,
    listExtraMs: medianOf(times.list) - node - medianOf(times.curl),
    fetchExtraMs: medianOf(times.fetch) - node,
    callExtraMs: await measureCalls(url, token),
  };
}

async function measureCalls(url: string, token: string): Promise<number> {
  const gantry = new Gantry({ baseUrl: url, token });
  const headers = { authorization: `Bearer ${token}` };
  const ways = {
    client: () => gantry.networks.list({ per_page: 5 }).page(),
    fetch: async () => (await fetch(`${url}${PATH}`, { headers })).json(),
  };
  const times = { client: [] as number[], fetch: [] as number[] };
  for (let call = -WARM_UP; call < CALLS; call++) {
    for (const [name, send] of Object.entries(ways)) {
      const start = performance.now();
      await send();
      if (call >= 0) times[name as keyof typeof times].push(performance.now() - start);
    }
  }
  return medianOf(times.client) - medianOf(times.fetch);
}
