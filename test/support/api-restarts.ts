import type { GantryEvent, RequestHandle } from "@gantry/client";
import { aws, createAwsAccount } from "./account.js";
import { startGantryProcesses } from "./gantry-processes.js";

/** Makes each Request last about as long as a restart of the API. */
const DELAY_MS = 1500;

/**
 * Waits for Requests while the API is killed and restarted, and expects that every wait ends with all events in their order. Half
 * of the Requests are followed for two events, and then awaited by another client.
 *
 * @param restarts how many, each after the start of two Requests
 */
export async function expectWaitsToEnd(restarts: number): Promise<{ losses: number }> {
  const gantry = await startGantryProcesses();
  try {
    const [first, second] = [gantry.connect(), gantry.connect()];
    const { accessKeyId, secretAccessKey } = await createAwsAccount();
    const credentials = { access_key_id: accessKeyId, secret_access_key: secretAccessKey };
    const { id: provider } = await first.providers.create({ provider: { type: "aws", credentials } }).done();
    await aws.delay("CreateVpc", DELAY_MS, { accessKeyId });

    let losses = 0;
    const follow = async (request: RequestHandle, isResumed: boolean) => {
      const events: GantryEvent[] = [];
      if (isResumed)
        for await (const event of request.events()) {
          events.push(event);
          if (events.length === 2) break;
        }
      const awaited = isResumed ? second.requests.resume(String(request)) : request;
      let isLost = false;
      const onContact = ({ lost }: { lost: boolean }) => {
        if (lost && !isLost) losses++;
        isLost = lost;
      };
      await awaited.done({ onEvent: (event) => events.push(event), onContact });
      return { id: request.id, ids: events.map(({ id }) => id), isLost };
    };

    const waits: ReturnType<typeof follow>[] = [];
    for (let restart = 0; restart < restarts; restart++) {
      for (const isResumed of [false, true]) {
        const network = { cidr: `10.${waits.length}.0.0/16`, location: "us-east-1" };
        waits.push(follow(await first.networks.create({ provider, network }), isResumed));
      }
      await gantry.kill("api");
      await gantry.restart("api");
    }
    for (const { id, ids, isLost } of await Promise.all(waits)) {
      const { body } = await first.call("GET", `/requests/${id}/events`, { query: { limit: 1000 } });
      const { events } = body as { events: GantryEvent[] };
      expect([events.at(-1)?.type, isLost]).toEqual(["request.finished", false]);
      expect(ids).toEqual(events.map((event) => event.id));
    }
    return { losses };
  } finally {
    await gantry.close();
  }
}
