import { ConnectionLost, Gantry } from "@gantry/client";
import { aws } from "./account.js";
import { startLiveGantry } from "./live.js";
import { startLossyProxy } from "./lossy-proxy.js";

const AT_ONCE = 12;
const TIMEOUT_MS = 2000;

/** Repeats a change with its key when all attempts have lost their answer, as about one change in 32 does. */
async function untilAnswered<T>(
  change: (options: { idempotencyKey?: string | undefined }) => PromiseLike<T>,
): Promise<T> {
  for (let idempotencyKey: string | undefined; ; ) {
    try {
      return await change({ idempotencyKey });
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      ({ idempotencyKey } = error);
    }
  }
}

/**
 * Creates, renames and half of the time removes networks by the client, while about half of the answers are lost, and expects that
 * every change was made once.
 *
 * @param networks how many; each has two changes or three
 */
export async function expectChangesOnce(networks: number): Promise<{ passed: number; lost: number }> {
  const live = await startLiveGantry();
  const proxy = await startLossyProxy(live.url, TIMEOUT_MS + 500);
  try {
    const { keys, providerId: provider } = await live.addProvider();
    const { token, accountId: account } = live.owner;
    const gantry = new Gantry({ baseUrl: proxy.url, token, account, timeoutMs: TIMEOUT_MS });
    const change = async (index: number) => {
      const network = { cidr: `10.${index}.0.0/16`, location: "us-east-1", skip_subnets: true };
      const created = await untilAnswered((options) => gantry.networks.create({ provider, network }, options));
      const { id } = await created.done();
      await untilAnswered((options) => gantry.networks.update(id, { network: { name: `network ${index}` } }, options));
      if (index % 2 === 0) await (await untilAnswered((options) => gantry.networks.delete(id, options))).done();
    };
    const indexes = Array.from({ length: networks }, (_, index) => index);
    const waiting = indexes.values();
    const lane = async () => {
      for (const index of waiting) await change(index);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));

    const { db } = live.api;
    const removed = Math.ceil(networks / 2);
    const rows = await db.network.findMany({ select: { cidr: true, name: true, deletedAt: true } });
    const byIndex = new Map(rows.map((row) => [row.cidr, row]));
    expect([rows.length, byIndex.size]).toEqual([networks, networks]);
    for (const index of indexes)
      expect(byIndex.get(`10.${index}.0.0/16`)).toMatchObject({
        name: `network ${index}`,
        deletedAt: index % 2 === 0 ? expect.any(Date) : null,
      });
    const requests = (type: string) => db.request.count({ where: { type } });
    expect(await requests("provision_network")).toBe(networks);
    expect(await requests("deprovision_network")).toBe(removed);
    expect((await aws.inventory(keys, { kinds: ["vpc"] })).vpc).toHaveLength(networks - removed);
    expect(proxy.changes.size).toBe(2 * networks + removed);
    expect([...proxy.changes.values()].filter(({ size }) => size !== 1)).toEqual([]);
    return proxy.counts;
  } finally {
    await proxy.close();
    await live.close();
  }
}
