import { setTimeout as sleep } from "node:timers/promises";

/** The pause after a 503. */
const RETRY_MS = 500;

/** A client of the API with the token of one user. It repeats an input that the API answers with 503. */
export function createClient(api: string, token: string) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  async function send<T>(path: string, init: RequestInit): Promise<T> {
    const reply = await fetch(`${api}${path}`, { ...init, headers });
    if (reply.status === 503) {
      await reply.body?.cancel();
      await sleep(RETRY_MS);
      return send(path, init);
    }
    if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${await reply.text()}`);
    return reply.json() as Promise<T>;
  }
  return {
    post: <T>(path: string, body: object) => send<T>(path, { method: "POST", body: JSON.stringify(body) }),
  };
}
