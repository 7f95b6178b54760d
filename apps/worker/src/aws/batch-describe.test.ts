import { until } from "@gantry/test/support/until";
import { batchDescribe } from "./batch-describe.js";
import type { Aws } from "./clients.js";

it("batches describes that arrive during an earlier call into one call, and returns each caller its own object", async () => {
  const calls: { ids: string[]; answer: () => void }[] = [];
  const ask = (_: Aws, ids: string[]) =>
    new Promise<Map<string, string>>((resolve) => {
      calls.push({ ids, answer: () => resolve(new Map(ids.map((id) => [id, `state of ${id}`]))) });
    });
  const describe = batchDescribe(ask, { maxDelayMs: 600_000 });
  const aws = {} as Aws;
  const first = describe("i-first")(aws);
  await until(async () => calls.length === 1);
  const others = [];
  for (let i = 0; i < 40; i++) {
    others.push(describe(`i-${i}`)(aws));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  expect(calls).toHaveLength(1);
  calls[0]?.answer();
  await until(async () => calls.length === 2);
  calls[1]?.answer();
  expect(await first).toBe("state of i-first");
  expect(await Promise.all(others)).toEqual(Array.from({ length: 40 }, (_, i) => `state of i-${i}`));
  expect(calls[1]?.ids).toHaveLength(40);
});
