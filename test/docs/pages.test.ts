import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ERROR_CODES, hashPassword } from "@gantry/api";
import { createAwsAccount } from "../support/account.js";
import { missingFields, runSnippets } from "../support/doc-snippets.js";
import { type Json, type LiveGantry, startLiveGantry } from "../support/live.js";
import { type Receiver, startReceiver } from "../support/receiver.js";
import { setWorkerIdentity } from "../support/worker-identity.js";

const docs = fileURLToPath(new URL("../../docs/", import.meta.url));

const read = (page: string) => readFileSync(`${docs}${page}.md`, "utf8");
const pages = ["../README", ...readdirSync(docs).flatMap((name) => /^(.+)\.md$/.exec(name)?.[1] ?? [])];
const SQL = /^ *```sql\n([^`]+)/gm;

const PASSWORD = "correct horse battery staple";

let gantry: LiveGantry;
let receiver: Receiver;
let variables: Record<string, string>;
let worker: Awaited<ReturnType<typeof createAwsAccount>>;
beforeAll(async () => {
  gantry = await startLiveGantry({ WEBHOOK_PRIVATE_ADDRESSES: "127.0.0.0/8,::1/128" });
  receiver = await startReceiver();
  worker = await createAwsAccount();
  const { providerId } = await gantry.addProvider();
  const where = { id: gantry.owner.userId };
  const { email } = await gantry.api.db.user.update({ where, data: { passwordHash: await hashPassword(PASSWORD) } });
  variables = {
    GANTRY_EMAIL: email,
    GANTRY_PASSWORD: PASSWORD,
    GANTRY_URL: gantry.url,
    GANTRY_TOKEN: gantry.owner.token,
    GANTRY_ACCOUNT: gantry.owner.accountId,
    GANTRY_PROVIDER: String(providerId),
    RECEIVER_URL: receiver.url,
  };
});
beforeEach(() => setWorkerIdentity(worker));
afterAll(async () => {
  await receiver.close();
  await gantry.close();
});

describe("a page of the docs", () => {
  // readme.test.ts runs the README: it needs an account without a provider.
  it.each(pages.filter((page) => page !== "../README" && read(page).includes("$GANTRY_URL/")))(
    "shows working commands and real responses: %s",
    async (page) => {
      const snippets = await runSnippets(`${docs}${page}.md`, variables);
      expect(snippets.length).toBeGreaterThan(0);
      const answers = snippets.flatMap(({ shown, ...rest }) => (shown === undefined ? [] : [{ shown, ...rest }]));
      const wrong = answers.map(({ shown, answered }) => missingFields(JSON.parse(shown), JSON.parse(answered)));
      expect(wrong.flat()).toEqual([]);
      for (const { command, status = 200, answeredStatus } of answers)
        expect({ command, status: answeredStatus }).toEqual({ command, status });
      expect(answers.map(({ answered }) => fixed(answered))).toMatchObject(answers.map(({ shown }) => fixed(shown)));
    },
  );

  it.each(pages.filter((page) => read(page).match(SQL)))("shows SQL that fits the database: %s", async (page) => {
    for (const [, sql] of read(page).matchAll(SQL)) await gantry.api.db.$queryRawUnsafe(`EXPLAIN ${sql}`);
  });

  it("explains every code of an error, with its statuses: errors", () => {
    const rows = [...read("errors").matchAll(/^\| `(\w+)` +\| ([\d, ]+?) +\|/gm)];
    const explained = rows.map(([, code = "", statuses = ""]) => [code, statuses.split(", ").map(Number)]);
    expect(Object.fromEntries(explained)).toEqual(ERROR_CODES);
  });
});

/** The parts of an answer that are the same each time. */
function fixed(answer: string): unknown {
  const { code, errors, details, request } = JSON.parse(answer.replace(UUID, "…")) as Json & { request?: Json };
  const { type, state, percent, message } = request ?? {};
  return JSON.parse(JSON.stringify({ code, errors, details, type, state, percent, message }));
}

const UUID = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g;

it("reports a field that a page shows but a response lacks", () => {
  expect(missingFields({ a: [{ b: 1, c: null }] }, { a: [{ b: "1", c: 2 }] })).toEqual([".a[].b"]);
  expect(missingFields({ a: { b: 1 } }, { a: {} })).toEqual([".a.b"]);
});
