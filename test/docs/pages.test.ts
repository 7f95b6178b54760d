import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { missingFields, runSnippets } from "../support/doc-snippets.js";
import { type LiveGantry, startLiveGantry } from "../support/live.js";
import { type Receiver, startReceiver } from "../support/receiver.js";

const docs = fileURLToPath(new URL("../../docs/", import.meta.url));

let gantry: LiveGantry;
let receiver: Receiver;
let variables: Record<string, string>;
beforeAll(async () => {
  gantry = await startLiveGantry({ WEBHOOK_PRIVATE_ADDRESSES: "allowed" });
  receiver = await startReceiver();
  const { providerId } = await gantry.addProvider();
  variables = {
    GANTRY_URL: gantry.url,
    GANTRY_TOKEN: gantry.owner.token,
    GANTRY_ACCOUNT: gantry.owner.accountId,
    GANTRY_PROVIDER: String(providerId),
    RECEIVER_URL: receiver.url,
  };
});
afterAll(async () => {
  await receiver.close();
  await gantry.close();
});

describe("a page of the docs", () => {
  it.each(["events", "webhooks"])(
    "shows commands that work, and answers as they are: %s",
    async (page) => {
      const snippets = await runSnippets(`${docs}${page}.md`, variables);
      expect(snippets.length).toBeGreaterThan(0);
      const wrong = snippets
        .filter(({ shown }) => shown !== undefined)
        .map(({ shown = "", answered }) => missingFields(JSON.parse(shown), JSON.parse(answered)));
      expect(wrong.flat()).toEqual([]);
    },
    120_000,
  );
});

it("tells a field that a page shows and an answer lacks", () => {
  expect(missingFields({ a: [{ b: 1, c: null }] }, { a: [{ b: "1", c: 2 }] })).toEqual([".a[].b"]);
  expect(missingFields({ a: { b: 1 } }, { a: {} })).toEqual([".a.b"]);
});
