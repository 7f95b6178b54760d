import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bootstrap, type FirstKeys } from "@gantry/api";
import { Gantry, type GantryEvent, type RequestHandle } from "@gantry/client";
import { type App, startApp } from "../../scripts/processes.js";
import { createAwsAccount } from "../support/account.js";
import { awsEndpoint, cloneDatabase, type TestDatabase, testEnv, testMasterKey } from "../support/stack.js";

const RESTARTS = 20;
const AT_EACH = 2;

let database: TestDatabase;
let folder: string;
let settings: Record<string, string>;
let api: App;
let worker: App;
let clients: [Gantry, Gantry];
let provider: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gantry-restarts-"));
  database = await cloneDatabase();
  const env = testEnv(database);
  const keys = (await bootstrap(database.db, env)) as FirstKeys;
  const { DATABASE_URL, REDIS_URL, QUEUE_PREFIX } = env;
  const own = { MASTER_KEY: testMasterKey, AWS_ENDPOINT_URL: awsEndpoint, AWS_VISIBILITY_SECONDS: "0", PORT: "0" };
  settings = { DATABASE_URL, REDIS_URL, QUEUE_PREFIX, ...own };
  [api, worker] = await Promise.all([startApp("api", settings, folder), startApp("worker", settings, folder)]);
  const { listening } = api.ready as { listening: number };
  settings.PORT = String(listening);
  const client = () =>
    new Gantry({
      baseUrl: `http://127.0.0.1:${listening}`,
      token: keys.token,
      account: keys.accountId,
      maxRetries: 20,
    });
  clients = [client(), client()];
  const { accessKeyId: access_key_id, secretAccessKey: secret_access_key } = await createAwsAccount();
  const credentials = { access_key_id, secret_access_key };
  provider = (await clients[0].providers.create({ provider: { type: "aws", credentials } }).done()).id;
});
afterAll(async () => {
  await Promise.all([api?.stop(), worker?.stop()]);
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

/** Waits for a Request, half of the time in another client after the first events, and returns the events that were read. */
async function follow(request: RequestHandle, isResumed: boolean): Promise<GantryEvent[]> {
  const events: GantryEvent[] = [];
  if (isResumed)
    for await (const event of request.events()) {
      events.push(event);
      if (events.length === 2) break;
    }
  const awaited = isResumed ? clients[1].requests.resume(String(request)) : request;
  await awaited.done({ onEvent: (event) => events.push(event) });
  return events;
}

it("ends every wait with all events in their order, while the API is killed and restarted", async () => {
  const waits: Promise<{ id: string; events: GantryEvent[] }>[] = [];
  for (let restart = 0; restart < RESTARTS; restart++) {
    for (let one = 0; one < AT_EACH; one++) {
      const cidr = `10.${restart * AT_EACH + one}.0.0/16`;
      const request = await clients[0].networks.create({ provider, network: { cidr, location: "us-east-1" } });
      waits.push(follow(request, one === 1).then((events) => ({ id: request.id, events })));
    }
    api.process.kill("SIGKILL");
    await api.exited;
    api = await startApp("api", settings, folder);
  }
  for (const { id, events } of await Promise.all(waits)) {
    const all = await database.db.event.findMany({ where: { requestId: id }, orderBy: [{ position: "asc" }] });
    expect(events.map(({ type }) => type)).toEqual(all.map(({ type }) => type));
    expect(new Set(events.map((event) => event.id)).size).toBe(events.length);
    expect(events.at(-1)?.type).toBe("request.finished");
  }
  expect(waits).toHaveLength(RESTARTS * AT_EACH);
});
