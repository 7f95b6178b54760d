import { useBrowser, withBrowser } from "./browser.js";

const REGION = "us-east-1";

withBrowser("the console's dialogs of records", () => {
  const test = useBrowser();
  const ids: Record<string, string> = {};
  const dialog = () => test.page.getByRole("dialog");
  const idOf = (url: string) => url.split("/").at(-1) ?? "";
  const make = async (path: string, body: object): Promise<string> =>
    idOf((await test.gantry.done(await test.gantry.owner.post(path, body))).resource);

  beforeAll(async () => {
    const { owner, done } = test.gantry;
    ids.network = await make("/networks", {
      provider: test.providerId,
      network: { cidr: "10.0.0.0/16", location: REGION, name: "main" },
    });
    // RDS uses each subnet of a network with a database.
    ids.spare = await make("/networks", {
      provider: test.providerId,
      network: { cidr: "10.1.0.0/16", location: REGION, name: "spare" },
    });
    const { body } = await owner.post(`/accounts/${owner.accountId}/environments`, {
      environment: { name: "shop" },
      network: ids.network,
    });
    ids.environment = String(body.environment.id);
    const solo = { cluster_configuration: { configuration: { type: "solo" } } };
    await done(await owner.post(`/environments/${ids.environment}/boot`, solo));
    const [server] = (await owner.get(`/environments/${ids.environment}/servers`)).body.servers;
    ids.server = String(server.id);
    ids.firewall = idOf((await owner.get(`/environments/${ids.environment}`)).body.environment.firewall);
    await done(await owner.post(`/servers/${ids.server}/snapshot`));
    ids.snapshot = String((await owner.get("/snapshots")).body.snapshots[0].id);
    ids.volume = await make("/volumes", {
      provider: test.providerId,
      volume: { location: server.location, size: 20, name: "archive" },
    });
    ids.role = await make("/iam_roles", {
      provider: test.providerId,
      iam_role: { name: "backups", instance_profile: true, policy: "EFSBackupPolicy" },
    });
    ids.database = await make("/database-services", {
      provider: test.providerId,
      network: ids.network,
      database_service: { name: "orders" },
      database_server: { engine: "postgres", version: "16", flavor: "db.t4g.micro", location: `${REGION}b` },
    });
    const [master] = (await owner.get(`/database-services/${ids.database}/servers`)).body.database_servers;
    ids.master = master.id;
    await test.signIn();
  });

  interface Case {
    place: () => string;
    act: string | RegExp;
    /** True for an act of the menu "More". */
    isMore?: boolean;
    /** What is filled in before the plan. */
    fill?: () => Promise<unknown>;
    /** False for an operation without a plan. */
    isPlanned?: boolean;
  }
  const field = (name: string) => dialog().getByLabel(name, { exact: true });
  const server = () => `servers/${ids.server}`;
  const database = () => `databases/${ids.database}`;
  const cases: Record<string, Case> = {
    "network-edit": { place: () => `networks/${ids.network}`, act: "Edit", isPlanned: false },
    "subnet-removal": { place: () => `networks/${ids.spare}?tab=subnets`, act: /^Remove 10\./ },
    "server-create": {
      place: () => "servers",
      act: "Create a server",
      fill: () => field("Environment").selectOption({ label: "shop" }),
    },
    "server-snapshot": {
      place: server,
      act: "Snapshot",
      isMore: true,
      fill: () => field("Tags").fill("team=shop"),
    },
    "server-apply": { place: server, act: "Apply", isMore: true },
    "server-edit": { place: server, act: "Edit", isMore: true, isPlanned: false },
    "rule-change": {
      place: () => `firewalls/${ids.firewall}`,
      act: /^Change the rule/,
      fill: () => field("Port or range of ports").fill("8443"),
    },
    "rule-removal": { place: () => `firewalls/${ids.firewall}`, act: /^Remove the rule/ },
    "volume-change": {
      place: () => `volumes/${ids.volume}`,
      act: "Change size or type",
      fill: () => field("Size").fill("30"),
    },
    "volume-edit": { place: () => `volumes/${ids.volume}`, act: "Edit", isPlanned: false },
    "volume-removal": { place: () => `volumes/${ids.volume}`, act: "Remove the volume" },
    "snapshot-removal": { place: () => `snapshots/${ids.snapshot}`, act: "Remove the snapshot" },
    "role-policy": {
      place: () => `roles/${ids.role}`,
      act: "Change the policy",
      fill: () => field("Policy").selectOption({ index: 2 }),
    },
    "role-removal": { place: () => `roles/${ids.role}`, act: "Remove the role" },
    "environment-edit": { place: () => `environments/${ids.environment}`, act: "Edit", isMore: true, isPlanned: false },
    "environment-removal": {
      place: () => `environments/${ids.environment}`,
      act: "Remove the environment",
      isMore: true,
    },
    "database-replica": {
      place: database,
      act: "Add a replica",
      fill: () => field("Zone").selectOption({ index: 1 }),
    },
    "database-restore": {
      place: database,
      act: "Restore",
      fill: async () => {
        await field("The latest time").selectOption({ label: "yes" });
        await field("Name").fill("copy");
      },
    },
    "database-rotate": { place: database, act: "Rotate the password", isMore: true },
    "database-edit": { place: database, act: "Edit", isMore: true, isPlanned: false },
    "database-windows": {
      place: () => `database-servers/${ids.master}`,
      act: "Change the windows",
      isMore: true,
      fill: async () => {
        await field("Backups begin: hour").fill("02");
        await field("Backups begin: minute").fill("30");
        await field("Backups: hours").fill("1");
      },
    },
    "database-snapshot": {
      place: () => `database-servers/${ids.master}`,
      act: "Take a snapshot",
      fill: async () => field("Name").fill("before"),
    },
  };

  it.each(Object.entries(cases))("opens the dialog %s, and shows its plan", async (name, each) => {
    await test.open(each.place());
    if (each.isMore) await test.choose(String(each.act));
    else await test.page.getByRole("button", { name: each.act, exact: true }).first().click();
    await dialog().waitFor();
    await each.fill?.();
    if (each.isPlanned !== false) {
      const ask = dialog().getByRole("button", { name: "Show the plan", exact: true });
      if (each.fill) await ask.click();
      await dialog().getByLabel("Plan").waitFor();
    }
    await test.inspect(name);
  });

  it("keeps the focus in a dialog that an item of a menu opened", async () => {
    await test.open(server());
    await test.press("More");
    await test.page.getByRole("menuitem", { name: "Remove the server" }).waitFor();
    await test.page.keyboard.press("Home");
    await test.page.keyboard.press("Enter");
    await dialog().getByLabel("Tags").waitFor();
    expect(await test.page.evaluate("document.querySelector('[role=dialog]').contains(document.activeElement)")).toBe(
      true,
    );
    await test.page.keyboard.press("Escape");
    await dialog().waitFor({ state: "detached" });
  });
});
