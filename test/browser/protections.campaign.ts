import type { Route } from "playwright-core";
import { aws } from "../support/account.js";
import { createCaller } from "../support/api.js";
import { PASSWORD, useBrowser, withBrowser } from "./browser.js";

const REGION = "us-east-1";

withBrowser("what the console protects from", () => {
  const test = useBrowser();
  const heading = (name: string) => test.page.getByRole("heading", { name, level: 1 }).waitFor();
  const accountPath = (place: string) => `${test.gantry.url}/console/${test.gantry.owner.accountId}/${place}`;

  /** A page of another browser, in which a person signs in with a password or a token. */
  const openAs = async (credentials: { email: string } | { token: string }, start = "/console/") => {
    const context = await test.context.browser()?.newContext();
    if (!context) throw new Error("The browser is closed");
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    await page.goto(`${test.gantry.url}${start}`);
    if ("token" in credentials) {
      await page.getByRole("button", { name: "Use an API token" }).click();
      await page.getByLabel("API token").fill(credentials.token);
    } else {
      await page.getByLabel("E-mail").fill(credentials.email);
      await page.getByLabel("Password").fill(PASSWORD);
    }
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    return page;
  };
  const isPlan = (route: Route) => route.request().url().includes("dry_run");

  beforeAll(() => test.signIn());

  it("does the work of a form once, although the answer was lost and the person clicks again", async () => {
    const { page, gantry } = test;
    await test.open("networks/new");
    await page.getByLabel("Block of addresses").fill("10.30.0.0/16");
    await page.getByLabel("Skip subnets").check();
    await test.press("Show the plan");
    const provision = page.getByRole("button", { name: /^Provision the network/ });
    await provision.waitFor();
    await page.route("**/networks*", async (route) => {
      if (isPlan(route) || route.request().method() !== "POST") return route.continue();
      await route.fetch();
      await route.abort();
    });
    await provision.click();
    await page.getByRole("alert").first().waitFor();
    await page.unroute("**/networks*");
    await provision.click();
    await heading("Provision network");
    const { body } = await gantry.owner.get(`/accounts/${gantry.owner.accountId}/requests?type=provision_network`);
    expect(body.requests).toHaveLength(1);
    test.problems.length = 0;
  });

  it("asks for another plan after a value was changed", async () => {
    await test.open("networks/new");
    await test.press("Show the plan");
    await test.page.getByRole("button", { name: /^Provision the network/ }).waitFor();
    await test.page.getByLabel("Block of addresses").fill("10.31.0.0/16");
    await test.page.getByRole("button", { name: "Show the plan" }).waitFor();
    expect(await test.page.getByLabel("Plan", { exact: true }).count()).toBe(0);
  });

  it("keeps the end of a log in view until the reader scrolls up", async () => {
    const { page, keys, gantry } = test;
    const delay = (natGatewayMs: number) => aws.setTransitionDelays({ natGatewayMs }, { accountId: keys.accountId });
    await delay(3_600_000);
    const network = { cidr: "10.32.0.0/16", location: REGION, private_subnets: true };
    const { body } = await gantry.owner.post("/networks", { provider: test.providerId, network });
    await test.open(`requests/${body.request.id}?tab=log`);
    const log = page.getByRole("list", { name: "Log" });
    await log
      .getByText(/^waits|Waiting for/)
      .first()
      .waitFor();
    const read = (expression: string) =>
      page.evaluate<number>(
        `(() => { const each = document.querySelector('ol[aria-label="Log"]'); return ${expression}; })()`,
      );
    await read(`each.style.maxHeight = "3rem"`);
    await read("each.scrollTop = each.scrollHeight");
    await delay(0);
    await log.getByText("finished", { exact: true }).waitFor();
    expect(await read("each.scrollHeight")).toBeGreaterThan(200);
    expect(await read("each.scrollHeight - each.scrollTop - each.clientHeight")).toBeLessThan(10);
  });

  it("reads a secret only after a click, with the header that asks for it, and forgets it after a minute", async () => {
    const { gantry, context } = test;
    const { body } = await gantry.owner.post(`/accounts/${gantry.owner.accountId}/environments`, {
      environment: { name: "secretive" },
    });
    const { id, internal_private_key: key } = (await gantry.owner.get(`/environments/${body.environment.id}`)).body
      .environment;
    const line = String(key).split("\n")[1] as string;
    const page = await context.newPage();
    const asked: string[] = [];
    const answers: Promise<string>[] = [];
    page.on("request", (each) => each.headers()["gantry-secrets"] && asked.push(new URL(each.url()).pathname));
    page.on("response", (each) => {
      if (each.url().includes(`/environments/${id}`) && !each.request().headers()["gantry-secrets"])
        answers.push(each.text().catch(() => ""));
    });
    await page.clock.install();
    await page.goto(accountPath(`environments/${id}?tab=settings`));
    await page.getByRole("button", { name: "Show the private key" }).waitFor();
    expect(asked).toEqual([]);
    await page.getByRole("button", { name: "Show the private key" }).click();
    await page.getByText(line).waitFor();
    expect(asked).toEqual([`/environments/${id}`]);
    await page.clock.fastForward(60_000);
    await page.getByRole("button", { name: "Show the private key" }).waitFor();
    expect(await page.content()).not.toContain(line);
    await page.getByRole("tab", { name: "JSON" }).click();
    await page.getByText("secretive").last().waitFor();
    expect(await page.content()).not.toContain(line);
    expect((await Promise.all(answers)).join("")).not.toContain(line);
    await page.close();
  });

  it("sends a change with the proof that it comes from this page, and the API refuses it without", async () => {
    const { page } = test;
    await test.open("environments");
    await test.press("Create an environment");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("proof");
    const sent = page.waitForRequest((each) => each.method() === "POST" && each.url().includes("/environments"));
    await dialog.getByRole("button", { name: /^(Show the plan|Create an environment)$/ }).click();
    expect((await sent).headers()["gantry-csrf"]).toMatch(/\S{20}/);
    await heading("proof");
    const status = await page.evaluate<number>(
      `fetch("/accounts/${test.gantry.owner.accountId}/environments", { method: "POST", body: "{}",
        headers: { "Content-Type": "application/json" } }).then(({ status }) => status)`,
    );
    expect(status).toBe(403);
    test.problems.length = 0;
  });

  it.each(["//evil.example/", "https://evil.example/", "/\\evil.example/"])(
    "stays on this site after a sign-in that should return to %s",
    async (place) => {
      const page = await openAs({ email: test.email }, `/console/sign-in?return_to=${encodeURIComponent(place)}`);
      await page.getByRole("heading", { name: "Overview" }).waitFor();
      expect(new URL(page.url()).origin).toBe(test.gantry.url);
      await page.context().close();
    },
  );

  it("fails a test on a script or a style that its policy forbids", async () => {
    await test.page.evaluate(
      `document.body.append(Object.assign(document.createElement("style"), { textContent: "p {}" }))`,
    );
    await test.page.waitForTimeout(0);
    expect(test.problems.splice(0).join()).toMatch(/Content Security Policy/);
  });

  it("fails a test on a part of a page that is not accessible", async () => {
    await test.page.evaluate(`document.querySelector("main").append(document.createElement("input"))`);
    await expect(test.inspect("not-accessible")).rejects.toThrow(/label/);
    await test.page.reload();
  });

  it("disables acts beyond the role or the scopes of a person, and says what they need", async () => {
    const { api, owner } = test.gantry;
    const { accountId } = owner;
    const viewer = await createCaller(api, { accountId, role: "viewer", password: PASSWORD });
    const reader = await createCaller(api, { accountId, role: "member", scopes: ["read"] });
    for (const [credentials, reason] of [
      [{ email: `${viewer.userId}@example.com` }, "Needs the role member"],
      [{ token: reader.token }, "Needs the scope write"],
    ] as const) {
      const page = await openAs(credentials);
      await page.getByRole("heading", { name: "Overview" }).waitFor();
      await page.goto(accountPath("environments"));
      const create = page.getByRole("button", { name: "Create an environment" }).first();
      await create.waitFor();
      expect([await create.isDisabled(), await create.getAttribute("title")]).toEqual([true, reason]);
      await page.context().close();
    }
  });
});
