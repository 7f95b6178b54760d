import type { AwsAccount, CatalogueMode } from "@gantry/local-stack";
import { connectRedis, JobQueues } from "@gantry/queue";
import { aws, createAwsAccount } from "./account.js";
import { createCaller, startTestApi, type TestApi, type TestCaller } from "./api.js";
import { openPort } from "./port.js";
import { cloneDatabase, testEnv, testLog } from "./stack.js";
import { until } from "./until.js";
import { startTestWorker } from "./worker.js";

/** A record as it goes over the wire. */
export type Json = Record<string, unknown>;

interface Answer {
  status: number;
  body: { request: Json };
}

/** Gantry as in production: an API that listens, a worker, and an owner who calls the API. */
export interface LiveGantry {
  /** The address at which the API listens. */
  url: string;
  api: TestApi;
  owner: TestCaller;
  /** The Request of an answer, when it has ended. */
  ended(answer: Answer): Promise<Json & { id: string; resource: string }>;
  /** The Request of an answer, when it has ended successfully. */
  done(answer: Answer): Promise<Json & { id: string; resource: string }>;
  /** Adds a provider with its own AWS account; `offers` are those of the emulated AWS. */
  addProvider(offers?: CatalogueMode): Promise<{ keys: AwsAccount; providerId: number; path: string }>;
  /** Lets the API be away until the function has ended. */
  away(meanwhile: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** @param settings settings of both apps in addition to the usual ones of tests */
export async function startLiveGantry(settings: Record<string, string> = {}): Promise<LiveGantry> {
  const database = await cloneDatabase();
  const port = await openPort();
  const env = testEnv(database, { SWEEP_SECONDS: "1", BASE_URL: port.url, ...settings });
  const jobs = new JobQueues(env.REDIS_URL, env.QUEUE_PREFIX, testLog);
  const redis = connectRedis(env.REDIS_URL, { answerSeconds: 2 }).on("error", () => {});
  const api = await startTestApi({}, { db: database.db, jobs, redis, env: { ...env, RATE_LIMIT_PER_MINUTE: 100_000 } });
  port.serve(api.app);
  const worker = startTestWorker(env);
  const owner = await createCaller({ ...api, db: database.db });

  const ended: LiveGantry["ended"] = async (answer) => {
    expect([answer.status, answer.body]).toEqual([200, { request: expect.anything() }]);
    return until(async () => {
      const { body } = await owner.get(`/requests/${answer.body.request.id}?wait=5`);
      return body.request.finished_at && body.request;
    });
  };
  const done: LiveGantry["done"] = async (answer) => {
    const request = await ended(answer);
    const { type, successful, message } = request;
    expect({ type, successful, message }).toEqual({ type, successful: true, message: null });
    return request;
  };

  return {
    url: port.url,
    api: { ...api, db: database.db, env },
    owner,
    ended,
    done,
    addProvider: async (offers) => {
      const keys = await createAwsAccount();
      if (offers) await aws.setCatalogue(offers, keys);
      const credentials = { access_key_id: keys.accessKeyId, secret_access_key: keys.secretAccessKey };
      const body = { provider: { type: "aws", credentials } };
      const { resource } = await done(await owner.post(`/accounts/${owner.accountId}/providers`, body));
      return { keys, providerId: Number(resource.split("/").at(-1)), path: new URL(resource).pathname };
    },
    away: port.away,
    close: async () => {
      await worker.stop();
      await port.close();
      await jobs.close();
      redis.disconnect();
      await api.close();
      await database.drop();
    },
  };
}
