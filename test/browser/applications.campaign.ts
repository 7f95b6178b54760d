import type { Page } from "playwright-core";
import { aws } from "../support/account.js";
import { createCaller } from "../support/api.js";
import { until } from "../support/until.js";
import { PASSWORD, useBrowser, withBrowser } from "./browser.js";

withBrowser("environments, applications, databases and groups in a browser", () => {
  const test = useBrowser();
  let networkId = "";
  let databaseId = "";
  const heading = (name: string | RegExp) => test.page.getByRole("heading", { name, exact: true }).first().waitFor();
  const dialog = () => test.page.getByRole("dialog");
  const finished = () => test.page.getByRole("status").getByText("finished").waitFor();

  it("creates an application and an environment", async () => {
    const network = {
      provider: test.providerId,
      network: { cidr: "10.0.0.0/16", location: "us-east-1", name: "shop" },
    };
    const { resource } = await test.gantry.done(await test.gantry.owner.post("/networks", network));
    networkId = resource.split("/").at(-1) ?? "";
    await test.signIn();
    await test.follow("Applications");
    await test.shows("This account has no application yet");
    await test.inspect("applications-empty");
    await test.press("Create an application");
    await dialog().getByLabel("Name").fill("shop");
    await dialog().getByLabel("Repository").fill("git@example.com:shop.git");
    await dialog().getByLabel("Type").fill("rails4");
    await test.inspect("application-create");
    await dialog()
      .getByRole("button", { name: /^(Show the plan|Create an application)$/ })
      .click();
    await test.follow("shop");
    await heading("shop");
    await test.shows("This application has no key");
    await test.inspect("application");

    await test.follow("Environments");
    await test.shows("This account has no environment yet");
    await test.inspect("environments-empty");
    await test.press("Create an environment");
    await dialog().getByLabel("Name").fill("shop");
    await dialog().getByLabel("Network").selectOption(networkId);
    await test.inspect("environment-create");
    await dialog()
      .getByRole("button", { name: /^(Show the plan|Create an environment)$/ })
      .click();
    await heading("shop");
    await test.shows("not booted");
    await test.inspect("environment-empty");
  });

  it("boots what the plan shows, once for two clicks, and opens the children in place", async () => {
    await test.follow("Boot");
    await heading("Boot shop");
    await test.page.getByLabel("Shape").selectOption("custom");
    await test.page.getByLabel("Application servers", { exact: true }).fill("2");
    await test.page.getByLabel("A database server").uncheck();
    await test.page.getByLabel("Utility servers", { exact: true }).fill("jobs");
    await test.inspect("boot");
    await test.press("Show the plan");
    const boot = test.page.getByRole("button", { name: /^Boot 3 servers/ });
    await boot.waitFor();
    await test.inspect("boot-plan");
    await boot.dblclick();
    await heading("Start environment");
    await finished();
    const children = test.page.getByText(/^Provision server/);
    expect(await children.count()).toBe(3);
    await children.first().click();
    await test.follow("Its own page");
    await heading("Provision server");
    const { body } = await test.gantry.owner.get(
      `/accounts/${test.gantry.owner.accountId}/requests?type=start_environment`,
    );
    expect(body.requests).toHaveLength(1);
    const { body: made } = await test.gantry.owner.get("/servers?state=running");
    expect(made.servers.map(({ role }: { role: string }) => role).sort()).toEqual(["app", "app_master", "util"]);
  });

  it("scales an environment, and shows its servers, blueprints and settings", async () => {
    await test.follow("Environments");
    await test.page.getByRole("row", { name: /shop/ }).first().waitFor();
    await test.inspect("environments");
    await test.follow("shop");
    await test.shows("app 1, app master 1, util 1");
    await test.inspect("environment");
    await test.choose("Save as blueprint");
    await dialog().getByLabel("Name").fill("like the shop");
    await dialog()
      .getByRole("button", { name: /^(Show the plan|Save as blueprint)$/ })
      .click();
    await test.page.getByRole("tab", { name: "Blueprints" }).click();
    await test.shows("like the shop");
    await test.inspect("environment-blueprints");
    await test.page.getByRole("tab", { name: "Settings" }).click();
    await test.press("Show the private key");
    await test.shows("It is hidden again after a minute.");
    await test.press("Hide");
    await test.inspect("environment-settings");
    await test.press("Scale");
    await dialog().getByLabel("Utility servers").fill("0");
    await dialog().getByRole("button", { name: "Show the plan" }).click();
    await dialog().getByLabel("Plan").waitFor();
    await test.inspect("scale");
    await dialog()
      .getByRole("button", { name: /^Scale/ })
      .click();
    await heading("Scale environment");
    await finished();
  });

  it("provisions a group around the app master", async () => {
    await test.follow("Groups");
    await test.shows("This account has no auto scaling group yet");
    await test.inspect("groups-empty");
    await test.press("Provision a group");
    await dialog().getByLabel("Environment").selectOption({ label: "shop" });
    await dialog().getByLabel("Minimum size").fill("1");
    await dialog().getByLabel("Maximum size").fill("3");
    await dialog().getByRole("button", { name: "Show the plan" }).click();
    await dialog().getByLabel("Plan").waitFor();
    await test.inspect("group-provision");
    await dialog()
      .getByRole("button", { name: /^Provision a group/ })
      .click();
    await finished();
    await test.follow("Groups");
    await test.page.getByRole("row", { name: /1 to 3/ }).waitFor();
    await test.inspect("groups");
    await test.page.getByRole("table").getByRole("link").first().click();
    await test.shows(/1 to 3/);
    await test.inspect("group");
    await test.press("Modify");
    await dialog().getByLabel("Maximum size").fill("4");
    await dialog().getByRole("button", { name: "Show the plan" }).click();
    await dialog().getByLabel("Plan").waitFor();
    await test.inspect("group-modify");
    await dialog().getByRole("button", { name: "Close" }).click();
  });

  it("provisions a database from what AWS offers", async () => {
    await test.follow("Databases");
    await test.shows("This account has no database yet");
    await test.inspect("databases-empty");
    await test.page.getByRole("main").getByRole("link", { name: "Provision a database" }).first().click();
    await test.page.getByLabel("Region").selectOption("us-east-1");
    await test.page.getByLabel("Name").fill("orders");
    await test.page.getByLabel("Engine").selectOption("postgres");
    await test.page.getByLabel("Version").selectOption({ index: 1 });
    await test.page.getByLabel("Flavor").selectOption({ index: 1 });
    await test.page.getByLabel("Zone", { exact: true }).selectOption({ index: 1 });
    await test.page.getByLabel("Network").selectOption(networkId);
    await test.press("Show the plan");
    await test.page.getByLabel("Plan").waitFor();
    await test.inspect("database-plan");
    await test.page.getByRole("button", { name: /^Provision the database/ }).click();
    await heading("Provision database service");
    await finished();
    await test.follow("Databases");
    await test.page.getByRole("row", { name: /orders/ }).waitFor();
    await test.inspect("databases");
    await test.follow("orders");
    await test.shows("available");
    databaseId = new URL(test.page.url()).pathname.split("/").at(-1) ?? "";
    await test.inspect("database");
    await test.page.getByRole("table", { name: "Database servers" }).getByRole("link").first().click();
    await test.shows("Certificate authority");
    await test.inspect("database-server");
    await test.press("Modify");
    await dialog().getByLabel("Storage in GB").fill("200");
    await dialog().getByRole("button", { name: "Show the plan" }).click();
    await dialog().getByLabel("Plan").waitFor();
    await test.inspect("database-modify");
    await dialog().getByRole("button", { name: "Close" }).click();
  });

  it("shows a password to a member after a click, once on record, and to nobody without the right", async () => {
    const { gantry } = test;
    const { accountId } = gantry.owner;
    const password: string = (await gantry.owner.get(`/database-services/${databaseId}`)).body.database_service
      .password;
    const readings = async (userId: string) => {
      const { body } = await gantry.owner.get(`/accounts/${accountId}/audit?action=read%20secret&per_page=100`);
      return body.audit_records.filter((each: object) => JSON.stringify(each).includes(userId)).length;
    };
    const open = async (role: "member" | "viewer", scopes?: ("read" | "write")[]) => {
      const person = await createCaller(gantry.api, { accountId, role, password: PASSWORD, ...(scopes && { scopes }) });
      const context = await test.context.browser()?.newContext();
      const page = (await context?.newPage()) as Page;
      await page.goto(`${gantry.url}/console/`);
      if (scopes) {
        await page.getByRole("button", { name: /token/i }).click();
        await page.getByLabel("API token").fill(person.token);
      } else {
        await page.getByLabel("E-mail").fill(`${person.userId}@example.com`);
        await page.getByLabel("Password").fill(PASSWORD);
      }
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByRole("heading", { name: "Overview" }).waitFor();
      await page.goto(`${gantry.url}/console/${accountId}/databases/${databaseId}?tab=connection`);
      await page.getByRole("button", { name: "Show the password" }).waitFor();
      expect(await page.content()).not.toContain(password);
      return { page, person };
    };

    const { page, person } = await open("member");
    await page.getByRole("button", { name: "Show the password" }).click();
    await page.getByText(password).waitFor();
    await page.getByRole("button", { name: "Hide" }).click();
    expect(await page.content()).not.toContain(password);
    await page.getByRole("tab", { name: "JSON" }).click();
    expect(await page.content()).not.toContain(password);

    const others = [await open("viewer"), await open("member", ["read", "write"])];
    for (const other of others) {
      await other.page.getByRole("button", { name: "Show the password" }).click();
      await other.page.getByText(/^Not shown/).waitFor();
      expect(await other.page.content()).not.toContain(password);
      await other.page.context().close();
    }
    // Records reach the audit after the call.
    await until(async () => (await readings(person.userId)) > 0);
    const all = [person, ...others.map((other) => other.person)];
    expect(await Promise.all(all.map(({ userId }) => readings(userId)))).toEqual([1, 0, 0]);
    await page.context().close();
    await test.open(`databases/${databaseId}?tab=connection`);
    await test.shows("The audit records who reads it.");
    await test.inspect("database-connection");
  });

  it("removes a database only after its name was typed", async () => {
    await test.choose("Remove the database");
    await dialog().getByLabel("Plan").waitFor();
    await test.inspect("database-removal");
    const remove = dialog().getByRole("button", { name: "Remove the database", exact: true });
    expect(await remove.isDisabled()).toBe(true);
    await dialog().getByLabel("Type orders to confirm").fill("orders");
    await remove.click();
    await heading("Deprovision database service");
    await finished();
  });

  it("removes what a failed Request left in AWS", async () => {
    const once = { code: "UnauthorizedOperation", times: 1, accessKeyId: test.keys.accessKeyId };
    await aws.refuse("AttachInternetGateway", once);
    await aws.refuse("DeleteVpc", once);
    const network = { cidr: "10.9.0.0/16", location: "us-east-1", skip_subnets: true };
    const input = { provider: test.providerId, network };
    const { id } = await test.gantry.ended(await test.gantry.owner.post("/networks", input));
    await test.open(`requests/${id}`);
    await test.shows(/^Left in AWS: vpc vpc-/);
    await test.inspect("request-leak");
    await test.press("Remove what is left");
    await dialog().getByLabel("Plan").waitFor();
    await dialog().getByRole("button", { name: "Remove what is left" }).click();
    await heading("Remove leaked resources");
    await finished();
    await test.open(`requests/${id}`);
    await test.shows("Nothing is left in AWS.");
  });

  it("says that the cancel of a change brings back what stood before", async () => {
    const { owner } = test.gantry;
    const [server] = (await owner.get("/servers?role=app")).body.servers;
    await aws.setTransitionDelays({ instanceMs: 3_600_000 }, { accountId: test.keys.accountId });
    const { body } = await owner.post(`/servers/${server.id}/modify`, { server: { flavor: "t3.large" } });
    await test.open(`requests/${body.request.id}`);
    await test.press("Cancel");
    await test.shows(/What stood before comes back/);
    await test.inspect("cancel-change");
    await aws.setTransitionDelays({ instanceMs: 0 }, { accountId: test.keys.accountId });
    await test.press("Cancel the Request");
    await test.page.getByRole("status").getByText("cancelled").waitFor();
  });
});
