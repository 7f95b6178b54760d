import { useBrowser, withBrowser } from "./browser.js";

const REGION = "us-east-1";

withBrowser("the console's pages of infrastructure", () => {
  const test = useBrowser();
  const ids: Record<string, string> = {};
  const idOf = ({ resource }: { resource: string }) => resource.split("/").at(-1) ?? "";

  /** The record of a Request that a call of the owner made, when it has ended. */
  const make = async (path: string, body: object): Promise<string> =>
    idOf(await test.gantry.done(await test.gantry.owner.post(path, body)));

  const heading = (name: string | RegExp) => test.page.getByRole("heading", { name, level: 1 }).waitFor();
  const row = (name: string | RegExp) => test.page.getByRole("row", { name }).first().waitFor();
  const tab = (name: string) => test.page.getByRole("tab", { name, exact: true }).click();

  beforeAll(async () => {
    const { owner, done } = test.gantry;
    ids.network = await make("/networks", {
      provider: test.providerId,
      network: { cidr: "10.0.0.0/16", location: REGION, name: "main", private_subnets: true },
    });
    const boot = async (name: string, configuration: object) => {
      const { body } = await owner.post(`/accounts/${owner.accountId}/environments`, {
        environment: { name },
        network: ids.network,
      });
      const path = `/environments/${body.environment.id}/boot`;
      await done(
        await owner.post(path, { cluster_configuration: { configuration: { type: "custom", ...configuration } } }),
      );
      return String(body.environment.id);
    };
    ids.shop = await boot("shop", { apps: { count: 2 }, utils: [{ name: "jobs", flavor: "t3.small" }] });
    const { body } = await owner.get(`/environments/${ids.shop}/servers?role=util`);
    ids.server = String(body.servers[0].id);
    await done(await owner.post(`/servers/${ids.server}/snapshot`));
    const { body: inside } = await owner.get(`/subnets?network=${ids.network}&location=${REGION}a&per_page=100`);
    const closed = inside.subnets.find((subnet: { private: boolean }) => subnet.private);
    // More servers of a kind than are shown one by one.
    await Promise.all(
      Array.from({ length: 13 }, () =>
        make("/servers", {
          environment: ids.shop,
          server: { role: "app", flavor: "t3.small", subnet_id: closed.id },
        }),
      ),
    );
    await make("/database-services", {
      provider: test.providerId,
      network: ids.network,
      database_service: { name: "orders" },
      database_server: { engine: "postgres", version: "16", flavor: "db.t4g.micro", location: `${REGION}b` },
    });
    ids.address = await make("/addresses", { provider: test.providerId, address: { location: REGION } });
    ids.volume = await make("/volumes", {
      provider: test.providerId,
      volume: { location: body.servers[0].location, size: 20, name: "archive" },
    });
    ids.role = await make("/iam_roles", {
      provider: test.providerId,
      iam_role: { name: "backups", instance_profile: true, policy: "EFSBackupPolicy" },
    });
  });

  it("shows a network as its zones, subnets and servers", async () => {
    await test.signIn();
    await test.open(`networks/${ids.network}`);
    await heading("main");
    await test.page.getByRole("link", { name: /jobs/ }).waitFor();
    await test.page.getByText("app ×13").click();
    await test.page.getByRole("link", { name: "orders" }).waitFor();
    await test.inspect("network-diagram");
    await test.press("Remove the network");
    await test.shows(/^Its subnets go first/);
    await test.page.getByRole("button", { name: /^Remove the \d+ subnets$/ }).click();
    await test.page.getByRole("alert").first().waitFor();
    test.problems.length = 0;
    await test.inspect("network-removal-refused");
    await test.press("Keep");
    await test.page.getByRole("tab", { name: "Subnets" }).click();
    await row(/10\.0\./);
    await test.inspect("network-subnets");
    await test.press("Create a subnet");
    await test.page.getByLabel("Block of addresses").waitFor();
    await test.inspect("subnet-create");
    await test.page.keyboard.press("Escape");
  });

  it("lists servers by the filters of the URL, and shows one with its parts", async () => {
    await test.follow("Servers");
    await row(/jobs/);
    await test.inspect("servers");
    await test.page.getByLabel("Role").selectOption("util");
    await test.page.getByText("1 in all").waitFor();
    await test.follow("jobs");
    await heading("jobs");
    await row(/GB/);
    await test.inspect("server");
    await tab("Firewalls");
    await row(/sg-/);
    await tab("Snapshots");
    await row(/no\. \d+/);
    await test.inspect("server-snapshots");
    await tab("Messages");
    await test.inspect("server-messages");
    await tab("Alerts");
    await test.shows("No alert on record");
  });

  it("gives a server another flavor at its next stop, and shows that it waits", async () => {
    await test.open(`servers/${ids.server}`);
    await test.press("Change flavor");
    await test.page.getByRole("combobox", { name: "Flavor" }).selectOption("t3.large");
    await test.page.getByRole("combobox", { name: "When" }).selectOption("next-stop");
    await test.press("Show the plan");
    await test.page.getByRole("dialog").getByLabel("Plan").waitFor();
    await test.inspect("server-flavor");
    await test.page
      .getByRole("dialog")
      .getByRole("button", { name: /^Change flavor/ })
      .click();
    await test.page.getByRole("status").getByText("finished").waitFor();
    await test.open(`servers/${ids.server}`);
    await test.shows("flavor t3.large");
    await test.inspect("server-pending");
  });

  it("stops a server after its plan", async () => {
    await test.open(`servers/${ids.server}`);
    await test.press("Stop");
    await test.page.getByRole("dialog").getByLabel("Plan").waitFor();
    await test.inspect("server-stop");
    await test.page.getByRole("dialog").getByRole("button", { name: /^Stop/ }).click();
    await test.page.getByRole("status").getByText("finished").waitFor();
    await test.open(`servers/${ids.server}`);
    await test.page.getByRole("button", { name: "Start", exact: true }).waitFor();
    // Its flavor no longer waits.
    expect(await test.page.getByText("Waits for the next stop").count()).toBe(0);
    await test.choose("Remove the server");
    await test.page.getByRole("dialog").getByLabel("Plan").waitFor();
    await test.inspect("server-removal");
    await test.page.keyboard.press("Escape");
  });

  it("adds a rule to a firewall, and shows who may reach what", async () => {
    await test.open("firewalls");
    await row(/shop/);
    await test.inspect("firewalls");
    await test.page.getByRole("row", { name: /shop/ }).getByRole("link").first().click();
    await row(/tcp/);
    await test.inspect("firewall");
    const place = test.page.url();
    await test.press("Add a rule");
    await test.page.getByLabel("Source").fill("203.0.113.0/24");
    await test.page.getByLabel("Port or range of ports").fill("8080");
    await test.press("Show the plan");
    await test.page.getByRole("dialog").getByLabel("Plan").waitFor();
    await test.inspect("firewall-rule");
    await test.page
      .getByRole("dialog")
      .getByRole("button", { name: /^Add a rule/ })
      .click();
    await test.page.getByRole("status").getByText("finished").waitFor();
    await test.page.goto(place);
    await row(/8080.*203\.0\.113\.0\/24/);
  });

  it("shows volumes, snapshots and addresses, and attaches a volume", async () => {
    await test.open("storage");
    await row(/archive/);
    await test.inspect("storage-volumes");
    await test.press("Create a volume");
    await test.page.getByRole("combobox", { name: "Zone" }).waitFor();
    await test.inspect("volume-create");
    await test.page.keyboard.press("Escape");
    await tab("Snapshots");
    await row(/no\. \d+/);
    await test.inspect("storage-snapshots");
    await test.page
      .getByRole("link", { name: /^no\. \d+$/ })
      .first()
      .click();
    await heading(/^Snapshot \d+$/);
    await test.inspect("snapshot");
    await test.open("storage?tab=addresses");
    await row(/eipalloc-/);
    await test.inspect("storage-addresses");
    await test.open(`addresses/${ids.address}`);
    await test.page.getByRole("button", { name: "Attach" }).waitFor();
    await test.inspect("address");
    await test.open(`volumes/${ids.volume}`);
    await heading("archive");
    await test.inspect("volume");
    await test.press("Attach");
    await test.page.getByRole("combobox", { name: "Server" }).selectOption(ids.server as string);
    await test.press("Show the plan");
    await test.page
      .getByRole("dialog")
      .getByRole("button", { name: /^Attach/ })
      .click();
    await test.page.getByRole("status").getByText("finished").waitFor();
    await test.open(`volumes/${ids.volume}`);
    await test.page.getByRole("button", { name: "Detach" }).waitFor();
    await test.shows("jobs");
  });

  it("removes an address after its plan, and shows that it is removed", async () => {
    await test.open(`addresses/${ids.address}`);
    await test.press("Remove the address");
    await test.page.getByRole("dialog").getByLabel("Plan").waitFor();
    await test.inspect("address-removal");
    await test.page.getByRole("dialog").getByRole("button", { name: "Remove the address", exact: true }).click();
    await test.page.getByRole("status").getByText("finished").waitFor();
    await test.open(`addresses/${ids.address}`);
    await test.shows("removed");
    expect(await test.page.getByRole("button", { name: "Remove the address" }).isDisabled()).toBe(true);
    await test.open("storage?tab=addresses");
    await test.shows("This account has no address yet");
  });

  it("shows roles with their policies", async () => {
    await test.open("roles");
    await row(/backups/);
    await test.inspect("roles");
    await test.press("Create a role");
    await test.inspect("role-create");
    await test.page.keyboard.press("Escape");
    await test.follow("backups");
    await heading("backups");
    await test.inspect("role");
  });
});
