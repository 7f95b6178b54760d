import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createCaller } from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";
import { until } from "@gantry/test/support/until";
import { endpoints } from "../../resources/index.js";
import { WaitingLimit } from "./waiting-limit.js";

const { api, db, owner } = await startApiTest();
const server = createServer(api.app).listen(0, "127.0.0.1");
await once(server, "listening");
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(() => void server.close());

it("gives a user one limit for all tokens and operations, and frees the slot of a caller that leaves", async () => {
  const id = randomUUID();
  const now = new Date();
  const of = {
    accountId: owner.accountId,
    type: "provision_network",
    resourceType: "network",
    resourceId: randomUUID(),
  };
  await db.request.create({ data: { id, ...of, input: {}, traceId: id.replaceAll("-", ""), deadlineAt: now } });
  const paths = endpoints
    .filter(({ query, reply }) => "wait" in { ...query, ...reply.query })
    .map(({ path }) => path.replace(":request", id).replace(/:account\w*/, owner.accountId));
  expect(paths.length).toBeGreaterThan(2);
  const streamed = paths.filter((path) => path.endsWith("/events"));
  const second = (await owner.post("/tokens", { token: {} })).body.api_token as string;
  const other = await createCaller(api, { accountId: owner.accountId });
  const leaving = new AbortController();
  const call = (path: string, query: string, token: string, accept = "application/json", signal = leaving.signal) =>
    fetch(`${base}${path}?${query}`, { headers: { Authorization: `Bearer ${token}`, Accept: accept }, signal });
  const openStream = (path: string, token: string) => call(path, "after=now", token, "text/event-stream");
  const opening = Array.from({ length: 249 }, (_, i) =>
    openStream(streamed[i % streamed.length] as string, i % 2 === 0 ? owner.token : second),
  );
  // Kept until the end: the stream of an answer that the garbage collector finds is closed.
  const streams = await Promise.all(opening);
  const isFull = async () => (await call(`/requests/${id}`, "wait=0.01", owner.token)).status === 429;
  for (const path of paths) {
    const after = path.endsWith("/events") ? "&after=now" : "";
    const poll = (seconds: number, token: string, { signal } = leaving) =>
      call(path, `wait=${seconds}${after}`, token, "application/json", signal);
    // The slot must be free before a call ends that waits 20 s less; a machine that is too busy to ask in time asks again.
    await until(async () => {
      await until(async () => !(await isFull()));
      let isLate = false;
      const late = () => {
        isLate = true;
      };
      poll(40, other.token).then(late, late);
      const ending = new AbortController();
      poll(60, second, ending).catch(() => {});
      await until(async () => isLate || (await isFull()));
      ending.abort();
      await until(async () => isLate || !(await isFull()));
      return !isLate;
    });
  }
  streams.push(await openStream(streamed[0] as string, second));
  for (const path of paths) {
    const statuses = [owner.token, second].map(async (token) => (await call(path, "wait=1", token)).status);
    expect([path, ...(await Promise.all(statuses))]).toEqual([path, 429, 429]);
  }
  for (const path of streamed) {
    const answer = await openStream(path, owner.token);
    expect([path, answer.status, answer.headers.get("retry-after")]).toEqual([path, 429, "5"]);
  }
  expect((await call(`/requests/${id}`, "", owner.token)).status).toBe(200);
  expect((await call(`/requests/${id}`, "wait=0.01", other.token)).status).toBe(200);
  leaving.abort();
  expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
});

it("also limits each process, and frees slots", () => {
  const limit = new WaitingLimit();
  const slots = Array.from({ length: 5000 }, (_, i) => limit.take(`user ${i % 20}`));
  const full = expect.objectContaining({ status: 503, extras: { headers: { "Retry-After": "5" } } });
  expect(() => limit.take("user 20")).toThrow(full);
  expect(() => limit.take("user 0")).toThrow(expect.objectContaining({ status: 429 }));
  slots[0]?.();
  expect(() => limit.take("user 0")).not.toThrow();
});
