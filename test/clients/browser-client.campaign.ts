import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { bundleClient } from "../../packages/client/bundle.mjs";
import { findChromium } from "../support/chromium.js";
import { type LiveGantry, startLiveGantry } from "../support/live.js";

const found = findChromium();
if ("reason" in found) console.warn(`The client is not tested in a browser: ${found.reason}.`);
const withBrowser = "options" in found ? describe : describe.skip;

type Client = typeof import("@gantry/client");

withBrowser("the client in a browser", () => {
  let live: LiveGantry;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let provider: number;

  beforeAll(async () => {
    live = await startLiveGantry();
    provider = (await live.addProvider()).providerId;
    if ("options" in found) browser = await chromium.launch(found.options);
    context = await browser.newContext();
    page = await context.newPage();
    const script = await bundleClient();
    await page.route(`${live.url}/page/*`, (route) =>
      route.request().url().endsWith(".js")
        ? route.fulfill({ contentType: "text/javascript", body: script })
        : route.fulfill({ contentType: "text/html", body: "<!doctype html><title>Gantry</title>" }),
    );
    await page.goto(`${live.url}/page/`);
  });
  afterAll(async () => {
    await browser?.close();
    await live.close();
  });

  /** Runs a function in the page, with the client and what it needs to sign in. */
  function inPage<R>(body: (client: Client, more: { provider: number; options: object }) => Promise<R>): Promise<R> {
    const { token, accountId: account } = live.owner;
    const more = { provider, options: { baseUrl: live.url, token, account } };
    // The compiler of the tests names functions with a function of its own.
    const text = `globalThis.__name = (named) => named;
      import("/page/client.js").then((client) => (${body})(client, ${JSON.stringify(more)}))`;
    return page.evaluate(text) as Promise<R>;
  }

  it("creates, waits by events, lists and removes", async () => {
    const seen = await inPage(async ({ Gantry }, { provider, options }) => {
      const gantry = new Gantry(options);
      const network = { cidr: "10.1.0.0/16", location: "us-east-1", skip_subnets: true, name: "from a browser" };
      const types: string[] = [];
      const created = await gantry.networks
        .create({ provider, network })
        .done({ onEvent: ({ type }) => types.push(type) });
      const names: (string | null)[] = [];
      for await (const { name } of gantry.networks.list({ per_page: 1 })) names.push(name);
      await gantry.networks.delete(created).done();
      return { id: created.provisioned_id, types, names };
    });
    expect(seen).toMatchObject({ id: expect.stringMatching(/^vpc-/), names: ["from a browser"] });
    expect([seen.types[0], seen.types.at(-1)]).toEqual(["request.accepted", "request.finished"]);
  });

  it("waits on while the machine is offline, and does nothing twice", async () => {
    const lost: boolean[] = [];
    await page.exposeFunction("contact", async (isLost: boolean) => {
      lost.push(isLost);
      if (isLost && lost.length === 1) await context.setOffline(false);
    });
    await page.exposeFunction("goOffline", () => context.setOffline(true));
    const state = await inPage(async ({ Gantry }, { provider, options }) => {
      const page = globalThis as never as { contact(lost: boolean): void; goOffline(): Promise<void> };
      const network = { cidr: "10.2.0.0/16", location: "us-east-1" };
      const handle = await new Gantry(options).networks.create({ provider, network });
      await page.goOffline();
      const { cidr } = await handle.done({ onContact: ({ lost }) => page.contact(lost) });
      return [handle.state, cidr];
    });
    expect(state).toEqual(["finished", "10.2.0.0/16"]);
    expect(lost).toEqual(expect.arrayContaining([true, false]));
    expect(await live.api.db.network.count({ where: { cidr: "10.2.0.0/16" } })).toBe(1);
  });

  it("verifies webhooks, and says what was wrong by class and code", async () => {
    const result = await inPage(async ({ Gantry, verifyWebhook }, { options }) => {
      const gantry = new Gantry(options);
      const headers = { "webhook-id": "1", "webhook-timestamp": `${Math.floor(Date.now() / 1000)}` };
      const forged = verifyWebhook("whsec_aaaa", { ...headers, "webhook-signature": "v1,aaaa" }, "{}");
      const missing = gantry.networks.get("0190c4a2-dead-7111-8111-111111111111");
      const codeOf = (error: Error & { code?: string; reason?: string }) => [error.name, error.code ?? error.reason];
      return [await forged.catch(codeOf), await missing.catch(codeOf)];
    });
    expect(result).toEqual([
      ["WebhookInvalid", "bad_signature"],
      ["NotFound", "not_found"],
    ]);
  });
});
