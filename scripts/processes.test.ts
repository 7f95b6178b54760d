import { readFileSync } from "node:fs";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { awsEndpoint, cloneDatabase, redisUrl, type TestDatabase } from "../test/support/stack.js";
import { type LocalGantry, startLocalGantry } from "./local-gantry.js";

let database: TestDatabase;
let gantry: LocalGantry;
const before = { ...process.env };

beforeAll(async () => {
  database = await cloneDatabase();
  Object.assign(process.env, { DATABASE_URL: database.url, REDIS_URL: redisUrl, AWS_ENDPOINT_URL: awsEndpoint });
  Object.assign(process.env, { AWS_SECRET_ACCESS_KEY: "canary-aws", GITHUB_TOKEN: "canary-other" });
  gantry = await startLocalGantry({ name: "processes-test", ephemeral: true });
});
afterAll(async () => {
  await gantry.stop();
  process.env = before;
  await database.drop();
});

// Other systems show no environment below /proc.
const onLinux = process.platform === "linux" ? it : it.skip;

onLinux("gives the apps their settings, the workers the AWS identity, and no other secret", () => {
  const seen = gantry.apps.map(({ name, pid }) => {
    const own = readFileSync(`/proc/${pid}/environ`, "utf8");
    return [name, ...["MASTER_KEY=", "canary-aws", "canary-other"].map((part) => own.includes(part))];
  });
  expect(seen).toEqual([
    ["api", true, false, false],
    ["worker", true, true, false],
  ]);
});

it("links to its own URL, regardless of the Host header", async () => {
  const body = await new Promise<string>((resolve, reject) => {
    const headers = { Authorization: `Bearer ${gantry.token}`, Host: "attacker.example" };
    const sent = request(`${gantry.baseUrl}/accounts`, { headers }, (answer) => resolve(text(answer)));
    sent.once("error", reject).end();
  });
  const { accounts } = JSON.parse(body) as { accounts: { environments: string }[] };
  expect(accounts.map(({ environments }) => new URL(environments).origin)).toEqual([gantry.baseUrl]);
});

it("makes a link that opens the console once, if the console is built", async () => {
  process.env.CONSOLE_FILES = "/nowhere";
  expect(await gantry.linkToConsole()).toBeUndefined();
  process.env.CONSOLE_FILES = import.meta.dirname;
  const link = new URL((await gantry.linkToConsole()) ?? "");
  expect(`${link.origin}${link.pathname}`).toBe(`${gantry.baseUrl}/console/`);
  const body = JSON.stringify({ code: new URLSearchParams(link.hash.slice(1)).get("sign-in") });
  const headers = { "Content-Type": "application/json" };
  const signIn = () => fetch(`${gantry.baseUrl}/session`, { method: "POST", headers, body });
  expect([(await signIn()).status, (await signIn()).status]).toEqual([201, 401]);
});
