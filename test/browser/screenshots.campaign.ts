import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { aws } from "../support/account.js";
import { until } from "../support/until.js";
import { useBrowser, withBrowser } from "./browser.js";

const root = join(import.meta.dirname, "../..");
/** Only `npm run console:screenshots` replaces the pictures of the docs. */
const isForDocs = process.env.npm_lifecycle_event === "console:screenshots";
const FOLDERS = {
  docs: join(root, isForDocs ? "docs/console" : ".gantry/console-pictures/docs"),
  all: join(root, ".gantry/console-pictures/pages"),
};
const SIZES = { wide: { width: 1280, height: 800 }, narrow: { width: 390, height: 844 } };
/** The pictures that README.md and docs/console.md show, in the wide size. */
const IN_DOCS = ["network-light", "network-dark", "boot-light", "request-light"];

withBrowser("pictures of the console", () => {
  const test = useBrowser();
  const idOf = (url: string) => url.split("/").at(-1) ?? "";

  it("shows a believable account in two themes and two widths", async () => {
    for (const folder of Object.values(FOLDERS)) mkdirSync(folder, { recursive: true });
    const places = await fillAccount();
    await test.signIn();
    for (const [name, [place, sign]] of Object.entries(places)) {
      for (const theme of ["light", "dark"] as const) {
        for (const [size, viewport] of Object.entries(SIZES)) {
          await test.page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
          await test.page.setViewportSize(viewport);
          await test.open(place);
          await test.shows(sign);
          if (name === "boot") {
            await test.page.getByLabel("Shape").selectOption("production");
            await test.press("Show the plan");
            await test.page.getByRole("button", { name: /^Boot \d+ servers/ }).waitFor();
          }
          await test.page.waitForLoadState("load");
          const isShown = size === "wide" && IN_DOCS.includes(`${name}-${theme}`);
          const path = isShown
            ? join(FOLDERS.docs, `${name}-${theme}.png`)
            : join(FOLDERS.all, `${name}-${theme}-${size}.png`);
          await test.page.screenshot({ path });
        }
      }
    }
  });

  /** An account of a small shop, and each page with what it shows when it is complete. */
  async function fillAccount(): Promise<Record<string, [place: string, sign: string | RegExp]>> {
    const { owner, done, ended, api } = test.gantry;
    const { accountId } = owner;
    await api.db.account.update({ where: { id: accountId }, data: { name: "Acme" } });
    await api.db.user.updateMany({ data: { name: "Ada Lovelace" } });
    await api.db.provider.updateMany({ data: { name: "production" } });
    const network = (name: string, cidr: string) =>
      owner.post("/networks", {
        provider: test.providerId,
        network: { name, cidr, location: "us-east-1", private_subnets: true },
      });
    const networkId = idOf((await done(await network("shop", "10.0.0.0/16"))).resource);
    const environment = async (name: string) => {
      const { body } = await owner.post(`/accounts/${accountId}/environments`, {
        network: networkId,
        environment: { name },
      });
      return body.environment.id as number;
    };
    const shop = await environment("shop");
    const staging = await environment("staging");
    const configuration = { type: "custom", apps: { count: 3 }, db_master: {}, utils: [{ name: "jobs" }] };
    const boot = await done(
      await owner.post(`/environments/${shop}/boot`, { cluster_configuration: { configuration } }),
    );
    await done(
      await owner.post("/database-services", {
        provider: test.providerId,
        network: networkId,
        database_service: { name: "orders" },
        database_server: {
          engine: "postgres",
          version: "16",
          flavor: "db.t4g.medium",
          location: "us-east-1a",
          storage: 20,
        },
      }),
    );
    const refusal = { code: "UnauthorizedOperation", times: 1, accessKeyId: test.keys.accessKeyId };
    await aws.refuse("CreateSubnet", refusal);
    await ended(await network("reports", "10.2.0.0/16"));
    await aws.setTransitionDelays({ natGatewayMs: 3_600_000 }, { accountId: test.keys.accountId });
    const { id } = (await network("staging", "10.1.0.0/16")).body.request;
    await until(async () => (await owner.get(`/requests/${id}`)).body.request.state === "waiting");
    return {
      overview: ["", "Running now: 1"],
      network: [`networks/${networkId}`, "jobs"],
      boot: [`environments/${staging}/boot`, "Boot staging"],
      request: [`requests/${boot.id}`, /^Provision server/],
      requests: ["requests", /in all$/],
      environment: [`environments/${shop}`, "app master"],
      databases: ["databases", "orders"],
      servers: ["servers", "jobs"],
      providers: ["providers", "production"],
    };
  }
});
