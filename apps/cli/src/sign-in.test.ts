import { startTestApi, type TestApi } from "@gantry/test/support/api";
import { bundleCommand, type TestCommand } from "@gantry/test/support/gantry-command";
import { Browser, CLIENT, startIssuer } from "@gantry/test/support/issuer";
import { openPort } from "@gantry/test/support/port";

let gantry: TestCommand;
let port: Awaited<ReturnType<typeof openPort>>;
let api: TestApi;
let issuer: Awaited<ReturnType<typeof startIssuer>>;

beforeAll(async () => {
  port = await openPort();
  issuer = await startIssuer(`${port.url}/sign-in/callback`);
  api = await startTestApi({
    BASE_URL: port.url,
    OIDC_ISSUER: issuer.url,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
  });
  port.serve(api.app);
  issuer.users.set("ada", { email: "ada@example.com", email_verified: true, name: "Ada" });
  gantry = await bundleCommand({ GANTRY_NO_BROWSER: "1" });
});
afterAll(async () => {
  gantry.close();
  await api.close();
  await port.close();
  await issuer.close();
});

it("signs in at the issuer in a browser, and gets its token through the loopback address alone", async () => {
  const run = gantry.inTerminal(["login", port.url, "--browser"], { columns: 400 });
  await run.shows(/http:\S+\/sign-in\?\S+/);
  const [start = ""] = /http:\S+\/sign-in\?\S+/.exec(run.text()) ?? [];
  const browser = new Browser();
  const page = await browser.signIn(await browser.open(start), "ada");
  expect(page).toMatchObject({
    status: 200,
    url: expect.stringContaining("/done?"),
    text: expect.stringContaining("You are signed in"),
  });
  await run.shows("Signed in as Ada");
  expect(await run.ended).toBe(0);
  expect(page.url + page.text + start).not.toContain("gty_");
  expect(await gantry.run(["whoami", "--json"])).toMatchObject({
    code: 0,
    out: expect.stringContaining("ada@example.com"),
  });
});

it("says that the sign-in was refused", async () => {
  issuer.users.set("eve", { email: "eve@example.com", email_verified: false });
  const run = gantry.inTerminal(["login", port.url, "--browser"], { columns: 400 });
  await run.shows(/http:\S+\/sign-in\?\S+/);
  const [start = ""] = /http:\S+\/sign-in\?\S+/.exec(run.text()) ?? [];
  const browser = new Browser();
  await browser.signIn(await browser.open(start), "eve");
  await run.shows("the sign-in was refused");
  expect(await run.ended).toBe(3);
});
