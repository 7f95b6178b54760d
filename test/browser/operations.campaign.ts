import { readFile } from "node:fs/promises";
import {
  CreateVolumeCommand,
  DeleteVolumeCommand,
  DescribeVolumesCommand,
  ModifyVolumeCommand,
} from "@aws-sdk/client-ec2";
import { awsOpener } from "@gantry/worker";
import { createCaller, createEnvironment, createServer } from "../support/api.js";
import { accountTags } from "../support/orphans.js";
import { startReceiver } from "../support/receiver.js";
import { until } from "../support/until.js";
import { PASSWORD, useBrowser, withBrowser } from "./browser.js";

const PUBLIC_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGhVqPxe2yYVtE9oGmVbA8nJMmJ9cDk8lXWZ2w0cRzTn ada@example.com";
const REGION = "us-east-1";

withBrowser("the console's pages of operations and of the account", () => {
  const test = useBrowser({ WEBHOOK_PRIVATE_ADDRESSES: "127.0.0.0/8", DRIFT_QUIET_SECONDS: "0" });
  const heading = (name: string | RegExp) => test.page.getByRole("heading", { name, level: 1 }).waitFor();
  const dialog = () => test.page.getByRole("dialog");
  const act = (name: string | RegExp) => dialog().getByRole("button", { name }).click();
  const isGone = () => dialog().waitFor({ state: "detached" });
  const ec2 = () => awsOpener(10)(REGION, test.keys).ec2;
  /** A member of the staff, without a role in the account, signs in. */
  const signInAs = async (email: string) => {
    await test.page.getByRole("button", { name: /^Signed in as/ }).click();
    await test.page.getByRole("menuitem", { name: "Sign out" }).click();
    await test.page.getByLabel("E-mail").fill(email);
    await test.page.getByLabel("Password").fill(PASSWORD);
    await test.press("Sign in");
  };

  it("shows a provider with its regions, limits one, and reports what a check finds", async () => {
    await test.signIn();
    await test.follow("Providers");
    await test.page
      .getByRole("link", { name: /^provider / })
      .first()
      .waitFor();
    await test.inspect("providers");
    await test.press("Add a provider");
    await dialog().getByText("external id").waitFor();
    await test.inspect("provider-add");
    await act("Close");
    await test.page
      .getByRole("link", { name: /^provider / })
      .first()
      .click();
    await test.press(`Limit ${REGION}`);
    await dialog().getByLabel("Servers").fill("7");
    await act("Save");
    await isGone();
    await test.page.getByRole("row", { name: /us-east-1 .* 7 / }).waitFor();
    await test.inspect("provider");
    await test.press("Check");
    await dialog().getByLabel("Region").selectOption(REGION);
    await act("Show the plan");
    await act(/^Check/);
    await heading("Check provider");
    await test.page.getByRole("status").getByText("finished").waitFor();
    await test.follow("Providers");
    await test.page
      .getByRole("link", { name: /^provider / })
      .first()
      .click();
    await test.page.getByRole("tab", { name: "Last check" }).click();
    await test.page.getByRole("table", { name: "Checks" }).waitFor();
    await test.inspect("provider-check");
  });

  it("finds by a scan what was changed and removed in AWS itself, live, and removes an orphan", async () => {
    const { owner, done } = test.gantry;
    const create = async (name: string) => {
      const volume = { size: 4, location: `${REGION}a`, name };
      const { resource } = await done(await owner.post("/volumes", { provider: test.providerId, volume }));
      return (await owner.get(new URL(resource).pathname)).body.volume.provisioned_id as string;
    };
    const [changed, removed] = await Promise.all([create("grown"), create("removed")]);
    await ec2().send(new ModifyVolumeCommand({ VolumeId: changed, Size: 9 }));
    const sizeOf = async () =>
      (await ec2().send(new DescribeVolumesCommand({ VolumeIds: [changed] }))).Volumes?.[0]?.Size;
    await until(async () => (await sizeOf()) === 9);
    await ec2().send(new DeleteVolumeCommand({ VolumeId: removed }));
    const customer = { accountId: owner.accountId, awsAccount: test.keys };
    const TagSpecifications = accountTags("volume", customer, { team: "shop" });
    await ec2().send(new CreateVolumeCommand({ AvailabilityZone: `${REGION}a`, Size: 1, TagSpecifications }));
    const where = { accountId: owner.accountId, locationId: { not: REGION }, parentId: null };
    await test.gantry.api.db.providerLocation.updateMany({ where, data: { disabledAt: new Date() } });
    await test.page.getByRole("link", { name: /^Drift/ }).click();
    await test.shows("Nothing differs");
    await test.inspect("drift-empty");
    await done(await owner.post(`/accounts/${owner.accountId}/drift/scan`));
    await test.page.getByRole("row", { name: /disappeared/ }).waitFor();
    await test.page.getByRole("row", { name: /changed.*4 → 9/ }).waitFor();
    await test.page.getByRole("row", { name: /orphan.*team=shop/ }).waitFor();
    await test.inspect("drift");
    await test.page.getByRole("tab", { name: "Regions" }).click();
    await test.page.getByRole("row", { name: /us-east-1/ }).waitFor();
    await test.inspect("drift-regions");
    await test.page.getByRole("tab", { name: "Left in AWS" }).click();
    await test.shows("Nothing is left in AWS");
    await test.inspect("drift-leaks");
    await test.page.getByRole("tab", { name: "Findings" }).click();
    await test.press("Accept the change");
    await act("Accept the change");
    await isGone();
    await test.page.getByRole("row", { name: /changed/ }).waitFor({ state: "detached" });
    await test.press("Remove the orphan");
    await test.inspect("orphan-removal");
    await act(/^Remove the orphan/);
    await heading("Remove orphan");
    await test.page.getByRole("status").getByText("finished").waitFor();
    await test.page.getByRole("link", { name: /^Drift/ }).click();
    await test.page.getByRole("row", { name: /disappeared/ }).waitFor();
    await test.page.getByRole("row", { name: /orphan/ }).waitFor({ state: "detached" });
  });

  it("raises an alert in an open page, counts it in the navigation, and acknowledges and finishes it", async () => {
    const { owner, api } = test.gantry;
    await test.follow("Alerts");
    await test.shows("No alert is open");
    const provider = await api.db.provider.findUniqueOrThrow({ where: { id: test.providerId } });
    const server = await createServer(api.db, await createEnvironment(api.db, provider));
    const alert = { name: "disk", external_id: "disk-1", message: "The disk is nearly full", severity: "critical" };
    await owner.post(`/servers/${server.id}/alerts`, { alert });
    await test.press("1 new");
    await test.page.getByRole("row", { name: /disk .* critical/ }).waitFor();
    await test.page.getByRole("link", { name: "Alerts 1" }).waitFor();
    await test.inspect("alerts");
    await test.press("Acknowledge disk");
    await act("Acknowledge disk");
    await isGone();
    await test.page.getByRole("row", { name: /critical, seen/ }).waitFor();
    await test.follow("Gantry");
    await test.shows("1 alert open");
    await test.shows("1 finding of drift");
    await test.page.getByRole("list", { name: "Latest events" }).getByText("alert.raised").waitFor();
    await test.inspect("overview-attention");
    await test.page.getByRole("link", { name: /^1 alert open/ }).click();
    await test.press("Finish disk");
    await act("Finish disk");
    await isGone();
    await test.shows("No alert is open");
  });

  it("shows events as they come, by type, and not while it is paused", async () => {
    await test.follow("Events");
    const events = test.page.getByRole("list", { name: "Events" });
    await events.getByText("alert.finished").first().waitFor();
    await test.inspect("events");
    await test.page.getByLabel("Type").selectOption("resource.changed");
    await test.page.waitForURL(/type=resource.changed/);
    await test.press("Pause");
    const { owner } = test.gantry;
    const before = await events.getByRole("listitem").count();
    await owner.patch(`/providers/${test.providerId}`, { provider: { name: "main" } });
    await test.press("Continue");
    await events.getByRole("listitem").nth(before).waitFor();
  });

  it("shows a webhook's secret once, and the answers to its deliveries as they change", async () => {
    let status = 500;
    const receiver = await startReceiver((_, response) => response.writeHead(status).end("I am tired"));
    await test.follow("Webhooks");
    await test.shows("This account has no webhook yet");
    await test.inspect("webhooks-empty");
    await test.press("Add a webhook");
    await dialog().getByLabel("URL").fill(receiver.url);
    await dialog().getByLabel("resource.created").check();
    await dialog().getByLabel("Description").fill("billing");
    await test.inspect("webhook-add");
    await act("Add a webhook");
    await dialog()
      .getByText(/^whsec_/)
      .waitFor();
    await test.inspect("webhook-secret");
    await act("I have copied it");
    expect(await test.page.content()).not.toContain("whsec_");
    await test.page.getByRole("row", { name: /billing/ }).waitFor();
    await test.inspect("webhooks");
    await test.follow(receiver.url);
    await heading("billing");
    await test.press("Ping");
    await act("Ping");
    await isGone();
    const row = test.page.getByRole("row", { name: /webhook.ping|ping/ });
    await row.filter({ hasText: /failed.*500/ }).waitFor();
    await test.inspect("webhook");
    status = 204;
    await test.press("Deliver again");
    await act("Deliver again");
    await row.filter({ hasText: /delivered.*204/ }).waitFor();
    await test.press("Rotate the secret");
    await act("Rotate the secret");
    await dialog()
      .getByText(/^whsec_/)
      .waitFor();
    await act("I have copied it");
    await test.press("Disable");
    await act("Disable");
    await isGone();
    await test.page.getByText("disabled", { exact: true }).waitFor();
    await receiver.close();
  });

  it("creates a token with scopes and an end, shows it once, and asks an old session to sign in again", async () => {
    const { api, url } = test.gantry;
    const age = () =>
      api.db.token.updateMany({ where: { session: true }, data: { createdAt: new Date(Date.now() - 3_600_000) } });
    await age();
    await test.follow("Tokens");
    await test.press("Create a token");
    await dialog().getByLabel("Name").fill("reports");
    await dialog().getByLabel("write", { exact: true }).uncheck();
    await dialog().getByLabel("Expires at").fill("2027-01-31T12:00");
    await test.inspect("token-create");
    await act("Create a token");
    await test.page.getByRole("heading", { name: "Sign in again to create a token" }).waitFor();
    await test.inspect("sign-in-again");
    test.problems.splice(0);
    await test.page.getByLabel("E-mail").fill(test.email);
    await test.page.getByLabel("Password").fill(PASSWORD);
    await act("Sign in");
    await test.page.getByRole("heading", { name: "Sign in again to create a token" }).waitFor({ state: "detached" });
    expect(await dialog().getByLabel("Name").inputValue()).toBe("reports");
    await act("Create a token");
    await dialog().getByText("Copy it now").waitFor();
    const token = (await dialog().locator("pre").textContent()) ?? "";
    await test.inspect("token");
    await act("I have copied it");
    expect(await test.page.content()).not.toContain(token);
    const call = async () =>
      (await fetch(`${url}/tokens/current`, { headers: { Authorization: `Bearer ${token}` } })).status;
    expect(await call()).toBe(200);
    await test.page.getByRole("row", { name: /reports read .*Jan 31, 2027/ }).waitFor();
    await test.inspect("tokens");
    await test.press("Revoke reports");
    await act("Revoke reports");
    await isGone();
    await test.page.getByRole("row", { name: /reports/ }).waitFor({ state: "detached" });
    expect(await until(async () => (await call()) === 401)).toBe(true);
    await test.page.getByRole("tab", { name: "Of services" }).click();
    await test.shows("This account has no service token yet");
  });

  it("invites a person, and changes the account's settings and the person's keys and theme", async () => {
    await test.follow("People");
    await test.page.getByRole("row", { name: /owner/ }).first().waitFor();
    await test.inspect("people");
    await test.press("Invite a person");
    await dialog().getByLabel("E-mail").fill("grace@example.com");
    await dialog().getByLabel("Role").selectOption("viewer");
    await act("Invite a person");
    await isGone();
    await test.page.getByRole("tab", { name: "Invitations" }).click();
    await test.page.getByRole("row", { name: /grace@example.com viewer/ }).waitFor();
    await test.inspect("invitations");
    await test.follow("Settings");
    await test.press("Edit");
    await dialog().getByLabel("Emergency contact").fill("+1 555 0100");
    await act("Save");
    await isGone();
    await test.shows("+1 555 0100");
    await test.inspect("settings");
    await test.page.getByRole("button", { name: /^Signed in as/ }).click();
    await test.page.getByRole("menuitem", { name: "Profile" }).click();
    await heading("Profile");
    await test.press("Add an SSH key");
    await dialog().getByLabel("Public key").fill(PUBLIC_KEY);
    await dialog().getByLabel("Name").fill("laptop");
    await act("Add an SSH key");
    await isGone();
    await test.page.getByRole("row", { name: /laptop SHA256|laptop/ }).waitFor();
    await test.inspect("profile");
  });

  it("finds pages and records by the keyboard alone", async () => {
    await test.page.keyboard.press("?");
    await dialog().getByText("go to the filter of the list").waitFor();
    await test.inspect("keys");
    await test.page.keyboard.press("Escape");
    await isGone();
    await test.page.keyboard.press("g");
    await test.page.keyboard.press("r");
    await heading("Requests");
    await test.page.keyboard.press("/");
    expect(await test.page.locator("input:focus").getAttribute("aria-label")).toBe("Name or type");
    await test.page.keyboard.press("Control+k");
    await test.page.keyboard.type("main");
    await dialog()
      .getByRole("option", { name: /^main provider/ })
      .waitFor();
    await test.inspect("palette");
    await test.page.keyboard.press("Enter");
    await heading("main");
  });

  it("finds an act in the audit by its subject and its time, and exports all of them", async () => {
    await test.follow("Audit");
    await test.page.getByLabel(/^Subject/).fill(`provider/${test.providerId}`);
    await test.page.waitForURL(/subject=/);
    await test.page
      .getByRole("row", { name: /patch|PATCH|update/i })
      .first()
      .waitFor();
    await test.inspect("audit");
    const [download] = await Promise.all([test.page.waitForEvent("download"), test.follow("Export as NDJSON")]);
    const text = await readFile(await download.path(), "utf8");
    expect(
      text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).position),
    ).toContain(1);
    await test.page.getByLabel("Since").fill("2099-01-01T00:00");
    await test.shows("No record matches");
  });

  it("asks a member of the staff for a reason in an account of others, and shows it to the owner", async () => {
    const staff = await createCaller(test.gantry.api, { staff: true, password: PASSWORD });
    await signInAs(`${staff.userId}@example.com`);
    await heading("Accounts");
    await test.inspect("accounts");
    await test.page.locator(`a[href$="${test.gantry.owner.accountId}"]`).click();
    await heading("Overview");
    await test.follow("Settings");
    await test.shows("This is an account of others");
    await test.press("Edit");
    await dialog().getByLabel("Reason").fill("Ticket 4711");
    await test.inspect("reason");
    await act("State the reason");
    await dialog().getByLabel("Emergency contact").fill("+1 555 0111");
    await act("Save");
    await isGone();
    await test.shows("You act in an account of others: Ticket 4711");
    await test.follow("Queues and workers");
    await test.page.getByRole("table", { name: "Workers" }).getByRole("row").nth(1).waitFor();
    await test.inspect("staff");
    await test.follow("Installation audit");
    await test.page.getByRole("row").nth(1).waitFor();
    await test.inspect("staff-audit");
    await signInAs(test.email);
    await heading("Overview");
    await test.follow("Audit");
    await test.shows("Reason: Ticket 4711");
  });

  it("asks for a sign-in within five seconds of the end of the session, over the page", async () => {
    await test.follow("Tokens");
    await test.page
      .getByRole("row", { name: /console/ })
      .first()
      .waitFor();
    const { api } = test.gantry;
    await api.db.token.updateMany({ where: { session: true }, data: { deletedAt: new Date() } });
    await test.page.getByRole("heading", { name: "Your session has ended" }).waitFor();
    await test.inspect("session-ended");
    test.problems.splice(0);
  });
});
