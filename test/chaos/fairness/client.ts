import { setTimeout as sleep } from "node:timers/promises";

/** How soon what the API was too busy for is asked again, in milliseconds. */
const RETRY_MS = 500;

/** Asks the API in the name of a token's owner; what it is too busy for, again. */
export function createClient(api: string, token: string) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  async function ask<T>(path: string, init: RequestInit): Promise<T> {
    const reply = await fetch(`${api}${path}`, { ...init, headers });
    if (reply.status === 503) {
      await reply.body?.cancel();
      await sleep(RETRY_MS);
      return ask(path, init);
    }
    if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${await reply.text()}`);
    return reply.json() as Promise<T>;
  }
  return {
    get: <T>(path: string) => ask<T>(path, { method: "GET" }),
    post: <T>(path: string, body: object) => ask<T>(path, { method: "POST", body: JSON.stringify(body) }),
  };
}
