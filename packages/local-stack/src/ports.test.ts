import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { startAwsProxy } from "./components/aws-proxy.js";
import type { Component, ComponentOptions } from "./components/component.js";
import { startEmulator } from "./components/emulator.js";
import { startPostgres } from "./components/postgres.js";
import { startRedis } from "./components/redis.js";
import { freePort } from "./ports.js";
import { cache, environment, temporaryFolder } from "./testing.js";

let folder: string;
let clear: () => void;
let other: Server;
let taken: number;

beforeEach(async () => {
  ({ folder, clear } = temporaryFolder());
  // Answers as each component would.
  other = createServer((socket) =>
    socket
      .on("data", (input) => socket.end(/HTTP/.test(String(input)) ? "HTTP/1.1 200 OK\r\n\r\n" : "+OK\r\n"))
      .on("error", () => undefined),
  );
  await once(other.listen(0, "127.0.0.1"), "listening");
  taken = (other.address() as AddressInfo).port;
});
afterEach(() => {
  other.close();
  clear();
});

const upstream = { upstream: "http://127.0.0.1:1", emulatorHome: "unused" };

it.each<[string, (options: ComponentOptions) => Promise<Component>]>([
  ["PostgreSQL", (options) => startPostgres({ ...options, fsync: false })],
  ["Redis", startRedis],
  ["moto", (options) => startEmulator({ ...options, cache })],
  ["the proxy", (options) => startAwsProxy({ ...options, ...upstream })],
])("starts %s on another port if the chosen one is taken, and names a port that the caller chose", async (_, start) => {
  const chosen = [taken];
  const choosePort = async () => chosen.shift() ?? (await freePort());
  const component = await start({ folder, environment, choosePort });
  const port = Number(new URL(component.url).port);
  await component.kill();
  expect(chosen).toEqual([]);
  expect(port).not.toBe(taken);
  await expect(start({ folder, environment, port: taken })).rejects.toThrow(`Port ${taken} is in use`);
});

it("shows the errors of a start that fails, not only the last line of its log", async () => {
  await expect(startPostgres({ folder, environment, port: taken })).rejects.toThrow(
    /could not bind IPv4 address.*Address already in use.*FATAL: .*could not create any TCP\/IP sockets/s,
  );
});
