import { connectRedis, pausedQueues, QUEUE } from "@gantry/queue";
import { type Browser, chromium, type Page } from "playwright-core";
import { aws } from "../support/account.js";
import { createCaller } from "../support/api.js";
import { findChromium } from "../support/chromium.js";
import { type Json, type LiveGantry, startLiveGantry } from "../support/live.js";
import { until } from "../support/until.js";

const found = findChromium();
if ("reason" in found) console.warn(`The queues are not tested in a browser: ${found.reason}.`);
const withBrowser = "options" in found ? describe : describe.skip;

withBrowser("the queues in a browser", () => {
  let gantry: LiveGantry;
  let browser: Browser;
  let page: Page;
  let failed: Json;
  let finished: Json;
  const otherHosts: string[] = [];
  const refusals: string[] = [];

  beforeAll(async () => {
    gantry = await startLiveGantry();
    const { keys, providerId } = await gantry.addProvider();
    const { accessKeyId } = keys;
    const network = { provider: providerId, network: { cidr: "10.0.0.0/16", location: "us-east-1" } };
    await aws.refuse("CreateSubnet", { code: "SubnetLimitExceeded", times: 1, accessKeyId });
    failed = await gantry.ended(await gantry.owner.post("/networks", network));
    finished = await gantry.done(await gantry.owner.post("/networks", network));
    if ("options" in found) browser = await chromium.launch(found.options);
    page = await browser.newPage();
    page.on("response", (answer) => answer.url().startsWith(gantry.url) || otherHosts.push(answer.url()));
    page.on("pageerror", (error) => refusals.push(error.message));
    page.on("console", (message) => message.type() === "error" && refusals.push(message.text()));
  });
  afterAll(async () => {
    await browser?.close();
    await gantry.close();
  });

  const signIn = async (scopes: ("read" | "admin")[]) => {
    const { token } = await createCaller(gantry.api, { staff: true, scopes });
    await page.goto(`${gantry.url}/queues/sign-out`);
    await page.fill("#token", token);
    await page.click("button");
    await page.waitForURL(`${gantry.url}/queues`);
  };
  const shows = (text: string) => page.getByText(text, { exact: false }).first().waitFor();

  it("shows a failed Request's type, state and message", async () => {
    await signIn(["read", "admin"]);
    await page.goto(`${gantry.url}/queues/queue/requests/${failed.id}?status=failed`);
    await shows("provision_network");
    await shows(String(failed.message));
    await shows("Failed at");
  });

  it("shows a finished Request's result", async () => {
    await page.goto(`${gantry.url}/queues/queue/requests/${finished.id}?status=completed`);
    await shows("provision_network");
    await shows("Finished at");
    await shows(`network/${String(finished.resource).split("/").at(-1)}`);
    await shows('"finished"');
  });

  it("lets the scope admin pause the queue and resume it", async () => {
    const act = async (name: string) => {
      await page.locator('button[class*="trigger-"]').first().click();
      await page.getByRole("menuitem", { name, exact: true }).click();
      await page.getByRole("button", { name: "Confirm" }).click();
    };
    const redis = connectRedis(gantry.api.env.REDIS_URL);
    const isPaused = async () => (await pausedQueues(redis, gantry.api.env.QUEUE_PREFIX)).includes(QUEUE);
    await page.goto(`${gantry.url}/queues/queue/requests`);
    await act("Pause");
    await until(isPaused);
    await act("Resume");
    await until(async () => !(await isPaused()));
    redis.disconnect();
  });

  it("loads nothing from another host", () => {
    expect(otherHosts).toEqual([]);
    // Bull Board asks for a font, which the policy refuses: its pages use those of the system.
    expect(refusals.filter((text) => !text.includes("https://fonts.googleapis.com/"))).toEqual([]);
  });
});
