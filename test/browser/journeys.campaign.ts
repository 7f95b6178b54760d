import { randomUUID } from "node:crypto";
import { TerminateInstancesCommand } from "@aws-sdk/client-ec2";
import { awsOpener } from "@gantry/worker";
import type { Locator, Page } from "playwright-core";
import { aws } from "../support/account.js";
import { createCaller } from "../support/api.js";
import { useBrowser, withBrowser } from "./browser.js";

const REGION = "us-east-1";
const ONE_SERVER = { cluster_configuration: { configuration: { type: "custom", apps: { count: 1 } } } };

withBrowser("journeys through the console", () => {
  const test = useBrowser({ DRIFT_QUIET_SECONDS: "0" });
  const headingOf = (page: Page, name: string) => page.getByRole("heading", { name, level: 1 }).waitFor();
  const heading = (name: string) => headingOf(test.page, name);
  const dialog = () => test.page.getByRole("dialog");
  const status = (name: string) => test.page.getByRole("status").getByText(name, { exact: true }).waitFor();
  const delayNatGateways = (natGatewayMs: number) =>
    aws.setTransitionDelays({ natGatewayMs }, { accountId: test.keys.accountId });

  const addNetwork = async (name: string): Promise<string> => {
    const network = { cidr: "10.0.0.0/16", location: REGION, name };
    const { resource } = await test.gantry.done(
      await test.gantry.owner.post("/networks", { provider: test.providerId, network }),
    );
    return resource.split("/").at(-1) ?? "";
  };
  const addEnvironment = async (name: string, network: string): Promise<number> => {
    const { owner } = test.gantry;
    const { body } = await owner.post(`/accounts/${owner.accountId}/environments`, { environment: { name }, network });
    return body.environment.id;
  };
  /** A Request that lasts until NAT gateways are made. */
  const provisionSlowly = async (cidr: string): Promise<string> => {
    await delayNatGateways(3_600_000);
    const network = { cidr, location: REGION, private_subnets: true };
    const { body } = await test.gantry.owner.post("/networks", { provider: test.providerId, network });
    return body.request.id;
  };
  const setHidden = (page: Page, isHidden: boolean) =>
    page.evaluate(`Object.defineProperty(document, "hidden", { value: ${isHidden}, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));`);

  let other: Awaited<ReturnType<typeof createCaller>>;
  beforeAll(async () => {
    const { db } = test.gantry.api;
    other = await createCaller(test.gantry.api);
    await db.account.update({ where: { id: other.accountId }, data: { name: "Other" } });
    const { id: userId } = await db.user.findFirstOrThrow({ where: { email: test.email } });
    const membership = { id: randomUUID(), accountId: other.accountId, userId, role: "owner" as const };
    await db.membership.create({ data: membership });
    await test.signIn();
  });
  afterEach(() => delayNatGateways(0));

  const refuseOnce = (action: string) =>
    aws.refuse(action, { code: "UnauthorizedOperation", times: 1, accessKeyId: test.keys.accessKeyId });

  it("shows without a click why a Request failed, and in which child and stage", async () => {
    const { owner, ended } = test.gantry;
    const environment = await addEnvironment("denied", await addNetwork("denied"));
    await refuseOnce("AuthorizeSecurityGroupIngress");
    const { id } = await ended(await owner.post(`/environments/${environment}/boot`, ONE_SERVER));
    await test.open(`requests/${id}`);
    await heading("Start environment");
    await status("failed");
    const reason = test.page.getByRole("region", { name: "Reason", exact: true });
    await reason.getByText("Nothing is left in AWS.").waitFor();
    const child = test.page.getByRole("group").filter({ hasText: "Provision default firewall" });
    await child
      .getByRole("region")
      .getByText(/lack the permission ec2:AuthorizeSecurityGroupIngress/)
      .waitFor();
    await child
      .getByRole("listitem")
      .filter({ hasText: /^create.*failed/ })
      .waitFor();
    await test.inspect("request-child-failed");

    const left = [{ object: randomUUID(), kind: "security_group", id: "sg-1", region: REGION }];
    await test.gantry.api.db.request.updateMany({ where: { parentId: id }, data: { leakedResources: left } });
    await test.page.reload();
    await reason.getByText(/^Left in AWS by Provision default firewall/).waitFor();
    await child.getByText(/^Left in AWS: security_group sg-1 in/).waitFor();
    expect(await reason.getByText("Nothing is left in AWS.").count()).toBe(0);
  });

  it("shows what a failed Request left in AWS, removes it, and does the Request again", async () => {
    const { owner, ended } = test.gantry;
    await Promise.all(["AttachInternetGateway", "DeleteVpc"].map(refuseOnce));
    const network = { cidr: "10.9.0.0/16", location: REGION, skip_subnets: true };
    const { id } = await ended(await owner.post("/networks", { provider: test.providerId, network }));
    await test.open(`requests/${id}`);
    await test.shows(/^Left in AWS: vpc vpc-/);
    await test.press("Remove what is left");
    await dialog().getByLabel("Plan").waitFor();
    await dialog().getByRole("button", { name: "Remove what is left" }).click();
    await heading("Remove leaked resources");
    await status("finished");
    await test.open(`requests/${id}`);
    await test.shows("Nothing is left in AWS.");
    await test.press("Retry");
    await dialog().getByRole("button", { name: "Retry" }).click();
    await test.page.waitForURL((url) => !url.pathname.endsWith(id));
    await heading("Provision network");
    await status("finished");
  });

  it("says gone in the diagram of a network when its instance was terminated in AWS itself", async () => {
    const { owner, done, api } = test.gantry;
    const network = await addNetwork("shop");
    await done(await owner.post(`/environments/${await addEnvironment("shop", network)}/boot`, ONE_SERVER));
    const [server] = (await owner.get(`/servers?network=${network}`)).body.servers;
    const elsewhere = { accountId: owner.accountId, locationId: { not: REGION }, parentId: null };
    await api.db.providerLocation.updateMany({ where: elsewhere, data: { disabledAt: new Date() } });
    await test.open(`networks/${network}`);
    const shown = test.page
      .getByRole("link", { name: /app master/i })
      .or(test.page.getByRole("link", { name: /shop/ }));
    await shown.getByText("running").waitFor();
    const { ec2 } = awsOpener(10)(REGION, test.keys);
    await ec2.send(new TerminateInstancesCommand({ InstanceIds: [server.provisioned_id] }));
    await done(await owner.post(`/accounts/${owner.accountId}/drift/scan`));
    await shown.getByText("gone").waitFor();
    await test.inspect("network-gone");
    await test.page.getByRole("link", { name: /^Drift/ }).click();
    await test.page
      .getByRole("row", { name: /disappeared/ })
      .first()
      .waitFor();
  });

  it("provisions a network, watches and cancels it by the keyboard alone", async () => {
    const { page } = test;
    await test.open("");
    await heading("Overview");
    const press = (key: string) => page.keyboard.press(key);
    const reach = async (wanted: Locator) => {
      await wanted.first().waitFor();
      for (let tabs = 0; tabs < 90; tabs++) {
        await press("Tab");
        if ((await wanted.and(page.locator(":focus")).count()) > 0) return;
      }
      throw new Error(`Tab does not reach ${wanted}`);
    };
    await delayNatGateways(3_600_000);
    await press("g");
    await press("n");
    await heading("Networks");
    await reach(page.getByRole("main").getByRole("link", { name: "Provision a network" }));
    await press("Enter");
    await heading("Provision a network");
    await reach(page.getByLabel("Block of addresses"));
    await press("Control+a");
    await page.keyboard.type("10.7.0.0/16");
    await reach(page.getByLabel("Private subnets"));
    await press("Space");
    await reach(page.getByRole("button", { name: "Show the plan" }));
    await press("Enter");
    await page.getByRole("button", { name: /^Provision the network/ }).waitFor();
    await press("Enter");
    await heading("Provision network");
    await page.getByRole("row", { name: /vpc-/ }).first().waitFor();
    await reach(page.getByRole("button", { name: "Cancel", exact: true }));
    await press("Enter");
    await reach(page.getByRole("button", { name: "Cancel the Request" }));
    await press("Enter");
    await dialog().waitFor({ state: "hidden" });
    await delayNatGateways(0);
    await status("cancelled");
    await test.shows("Nothing is left in AWS.");
  });

  it("leaves nothing of an account on the page when a person goes to another one", async () => {
    const { page, gantry } = test;
    const network = await addNetwork("first-one");
    await addEnvironment("of the first before", network);
    await test.open("environments");
    await page.getByRole("link", { name: "of the first before" }).waitFor();
    await test.press("Account Test");
    await page.getByRole("menuitemradio", { name: /^Other/ }).click();
    await heading("Overview");
    expect(await page.content()).not.toContain(network);
    await test.follow("Environments");
    await test.shows("This account has no environment yet");
    await addEnvironment("of the first now", await addNetwork("first-two"));
    const environment = { environment: { name: "of the second" } };
    await other.post(`/accounts/${other.accountId}/environments`, environment);
    await page
      .getByText("of the second")
      .or(page.getByRole("button", { name: "1 new" }))
      .first()
      .waitFor();
    expect(await page.content()).not.toContain("of the first");
    expect(await page.content()).not.toContain(gantry.owner.accountId);
    await test.follow("Gantry");
    await heading("Overview");
    expect(await page.content()).not.toContain("first-");
  });

  it("loads the page again, once, if a deployment has removed a file of it", async () => {
    const { page } = test;
    let asked = 0;
    await test.open("");
    await heading("Overview");
    await page.route(/\/assets\/people\.page-/, async (route) => {
      asked++;
      await (asked === 1 ? route.fulfill({ status: 404 }) : route.continue());
    });
    await test.follow("People");
    await heading("People");
    expect(asked).toBe(2);
    await page.unroute(/\/assets\/people\.page-/);
    await page.route(/\/assets\/tokens\.page-/, (route) => route.fulfill({ status: 404 }));
    await page.getByRole("link", { name: "Tokens" }).click();
    await heading("This page does not work");
    await test.inspect("chunk-missing");
    await page.unroute(/\/assets\/tokens\.page-/);
    test.problems.length = 0;
  });

  it("offers a reload after contact is back with Gantry in another version", async () => {
    const { page } = test;
    await test.open("networks");
    await heading("Networks");
    await page.getByText(/^No contact since/).waitFor({ state: "detached" });
    await page.route("**/session", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), version: "9.9.9" } });
    });
    await test.gantry.away(() => test.shows(/^No contact since/));
    await test.shows(/^Gantry was updated to 9\.9\.9/);
    await page.getByText(/^No contact since/).waitFor({ state: "detached" });
    await test.inspect("version");
    await page.unroute("**/session");
    await test.press("Reload");
    await page.getByText(/^Gantry was updated/).waitFor({ state: "detached" });
    await heading("Networks");
    test.problems.length = 0;
  });

  it("says in the title of a hidden tab how its Request ended, and resumes once the tab is shown", async () => {
    const id = await provisionSlowly("10.8.0.0/16");
    const page = await test.context.newPage();
    await page.clock.install();
    await page.goto(`${test.gantry.url}/console/${test.gantry.owner.accountId}/requests/${id}`);
    await page.getByRole("row", { name: /vpc-/ }).first().waitFor();
    const closed = page.waitForEvent("requestfailed", (each) => each.url().includes("/events?after="));
    await setHidden(page, true);
    await page.clock.fastForward(10_000);
    await closed;
    await delayNatGateways(0);
    await test.open(`requests/${id}`);
    await status("finished");
    expect(await page.title()).toMatch(/^… /);
    await page.clock.fastForward(30_000);
    await page.waitForFunction(`document.title === "✓ finished · Provision network · Gantry"`);
    const resumed = page.waitForRequest((each) => each.url().includes("/events?after="));
    await setHidden(page, false);
    await resumed;
    await page.getByRole("tab", { name: "Log" }).click();
    await page.getByRole("list", { name: "Log" }).getByText("finished").waitFor();
    await page.close();
  });
});
