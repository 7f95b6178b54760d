import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import axe from "axe-core";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { aws } from "../support/account.js";
import { createCaller } from "../support/api.js";
import { findChromium } from "../support/chromium.js";
import { type LiveGantry, startLiveGantry } from "../support/live.js";

const root = join(import.meta.dirname, "../..");
/** What the pages look like, for people: no machine compares them. */
const PICTURES = join(root, ".gantry/console-pictures");
const PASSWORD = "correct horse battery staple";
const SIZES = { wide: { width: 1280, height: 860 }, narrow: { width: 390, height: 800 } };

const found = findChromium();
if ("reason" in found) console.warn(`The console is not tested in a browser: ${found.reason}.`);
const withBrowser = "options" in found ? describe : describe.skip;

withBrowser("the console in a browser", () => {
  let gantry: LiveGantry;
  let email: string;
  let keys: Awaited<ReturnType<LiveGantry["addProvider"]>>["keys"];
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  const problems: string[] = [];

  beforeAll(async () => {
    await promisify(execFile)(process.execPath, [join(root, "apps/console/build.mjs")]);
    mkdirSync(PICTURES, { recursive: true });
    gantry = await startLiveGantry();
    ({ keys } = await gantry.addProvider());
    const person = await createCaller(gantry.api, { accountId: gantry.owner.accountId, password: PASSWORD });
    email = `${person.userId}@example.com`;
    if ("options" in found) browser = await chromium.launch(found.options);
    context = await browser.newContext({ viewport: SIZES.wide });
    page = await context.newPage();
    page.on("pageerror", (error) => problems.push(error.message));
    // The browser reports what the page's policy forbids, and each answer that is an error, on its console.
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    page.on("request", (request) => request.url().startsWith(gantry.url) || problems.push(request.url()));
  });
  afterEach(async () => {
    await page.screenshot({ path: join(PICTURES, "last.png"), fullPage: true });
    expect(problems.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await gantry.close();
  });

  const shows = (text: string | RegExp) => page.getByText(text).first().waitFor();
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  const follow = (name: string) => page.getByRole("link", { name, exact: true }).first().click();

  /** Takes pictures of a page in both themes and widths, in which axe may find nothing. */
  async function inspect(name: string): Promise<void> {
    const findings: unknown[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      for (const [size, viewport] of Object.entries(SIZES)) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        await page.setViewportSize(viewport);
        await page.screenshot({ path: join(PICTURES, `${name}-${colorScheme}-${size}.png`), fullPage: true });
        await page.evaluate(axe.source);
        const { violations } = (await page.evaluate("axe.run()")) as axe.AxeResults;
        for (const { id, nodes } of violations)
          findings.push([name, colorScheme, size, id, nodes.map(({ html, failureSummary }) => [html, failureSummary])]);
        const width = await page.evaluate<number>("document.documentElement.scrollWidth");
        if (width > viewport.width) findings.push([name, size, "scrolls sideways", width]);
      }
    }
    await page.setViewportSize(SIZES.wide);
    expect(findings).toEqual([]);
  }

  it("leads a browser to the sign-in, and a person with a password to the account", async () => {
    await page.goto(gantry.url);
    await page.getByLabel("E-mail").fill(email);
    await inspect("sign-in");
    await page.getByLabel("Password").fill(PASSWORD);
    await press("Sign in");
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await shows("First steps");
    await inspect("overview-empty");
    await follow("Networks");
    await shows("This account has no network yet");
    await inspect("networks-empty");
  });

  it("provisions a network after its plan, and shows its stages and AWS objects without a reload", async () => {
    await page.getByRole("main").getByRole("link", { name: "Provision a network" }).first().click();
    await page.getByLabel("Region").selectOption("us-east-1");
    await page.getByLabel("Name").fill("shop");
    await inspect("provision");
    await press("Show the plan");
    await shows(/^network in us-east-1/);
    await inspect("provision-plan");
    await page.getByRole("button", { name: /^Provision the network/ }).click();
    await page.getByRole("heading", { name: "Provision network" }).waitFor();
    await page
      .getByRole("row", { name: /vpc-[0-9a-f]+/ })
      .first()
      .waitFor();
    await page.getByRole("status").getByText("finished").waitFor();
    await page
      .getByRole("listitem")
      .filter({ hasText: /^create.*finished/ })
      .waitFor();
    await inspect("request-finished");
    await page.getByRole("tab", { name: "Log" }).click();
    await shows("accepted");
    expect(await page.getByLabel("Log", { exact: true }).getByRole("listitem").last().textContent()).toMatch(
      /finished$/,
    );
    await inspect("request-log");
    await press("curl");
    await shows(/^curl -sS/);
    await inspect("curl");
    await page.keyboard.press("Escape");
  });

  it("cancels a Request, and says that nothing is left in AWS", async () => {
    const natGateways = (natGatewayMs: number) =>
      aws.setTransitionDelays({ natGatewayMs }, { accountId: keys.accountId });
    await natGateways(3_600_000);
    await follow("Networks");
    await shows("shop");
    await inspect("networks");
    await follow("Provision a network");
    await page.getByLabel("Block of addresses").fill("10.1.0.0/16");
    await page.getByLabel("Region").selectOption("us-east-1");
    await page.getByLabel("Private subnets").check();
    await press("Show the plan");
    await page.getByRole("button", { name: /^Provision the network/ }).click();
    await page
      .getByRole("row", { name: /vpc-[0-9a-f]+/ })
      .first()
      .waitFor();
    await press("Cancel");
    await inspect("cancel");
    await natGateways(0);
    await press("Cancel the Request");
    await page.getByRole("status").getByText("cancelled").waitFor();
    await shows("Nothing is left in AWS.");
    await inspect("request-cancelled");
  });

  it("lists Requests by the filters of the URL, and one that another client makes behind a button", async () => {
    await follow("Requests");
    await page
      .getByRole("row", { name: /Provision network/ })
      .first()
      .waitFor();
    await inspect("requests");
    await page.getByLabel("State").selectOption("cancelled");
    await page.waitForURL(/state=cancelled/);
    await page.getByText("1 in all").waitFor();
    await page.getByLabel("Name or type").fill("no such name");
    await shows("No Request matches");
    await inspect("requests-none");
    await press("Clear filters");
    await page
      .getByRole("row", { name: /Provision network/ })
      .first()
      .waitFor();
    await gantry.done(await gantry.owner.put(`/providers/${await providerId()}/locations/discover`));
    await page.getByRole("button", { name: /^\d+ new$/ }).click();
    await page
      .getByRole("row", { name: /Discover/ })
      .first()
      .waitFor();
  });

  it("removes a network whose name was typed", async () => {
    const { body } = await gantry.owner.get("/subnets?per_page=100");
    await Promise.all(
      body.subnets.map(async ({ id }: { id: string }) => gantry.done(await gantry.owner.delete(`/subnets/${id}`))),
    );
    await follow("Networks");
    await press("Remove the network shop");
    await inspect("removal");
    expect(await page.getByRole("button", { name: "Remove the network", exact: true }).isDisabled()).toBe(true);
    await page.getByLabel("Type shop to confirm").fill("shop");
    await press("Remove the network");
    await page.getByRole("heading", { name: "Deprovision network" }).waitFor();
    await page.getByRole("status").getByText("finished").waitFor();
    await follow("Gantry");
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await shows("Nothing runs now");
    await inspect("overview");
  });

  it("signs out", async () => {
    await page.getByRole("button", { name: /^Signed in as/ }).click();
    await inspect("menu");
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByLabel("Password").waitFor();
    expect((await context.cookies()).map(({ value }) => value).join("")).toBe("");
  });

  async function providerId(): Promise<number> {
    const { body } = await gantry.owner.get(`/accounts/${gantry.owner.accountId}/providers`);
    return body.providers[0].id;
  }
});
