import { createConsoleCode, tokenDigest } from "@gantry/api";
import { aws, createAwsAccount } from "../support/account.js";
import { createCaller } from "../support/api.js";
import { testKeys } from "../support/stack.js";
import { setWorkerIdentity } from "../support/worker-identity.js";
import { useBrowser, withBrowser } from "./browser.js";

withBrowser("the first steps in the console", () => {
  const test = useBrowser();
  /** The AWS account of the workers, which the new provider shares. */
  let shared: Awaited<ReturnType<typeof createAwsAccount>>;
  beforeAll(async () => {
    shared = await createAwsAccount();
  });
  beforeEach(() => setWorkerIdentity(shared));

  const heading = (name: string) => test.page.getByRole("heading", { name, exact: true }).first().waitFor();
  const dialog = () => test.page.getByRole("dialog");
  const finished = () => test.page.getByRole("status").getByText("finished").waitFor();
  const inDialog = (name: string | RegExp) => dialog().getByRole("button", { name }).first().click();
  const step = (name: string) => test.page.getByRole("list").getByRole("link", { name, exact: true }).last().click();
  const overview = async () => {
    await test.follow("Gantry");
    await heading("Overview");
  };

  it("goes from the link of `npm start` to servers that run, by the first steps alone", async () => {
    const { userId } = await createCaller(test.gantry.api);
    const code = await createConsoleCode(test.gantry.api.db, { digest: tokenDigest(testKeys.tokens) }, userId);
    await test.page.goto(`${test.gantry.url}/console/#sign-in=${code}`);
    await heading("Overview");
    await test.shows("First steps");
    expect(test.page.url()).not.toContain(code);

    await step("Add a provider");
    await test.press("Add a provider");
    await test.shows(/leave the fields empty/);
    await test.inspect("first-provider");
    await inDialog("Show the plan");
    await inDialog(/^Add a provider/);
    await finished();

    await overview();
    await test.page.getByLabel("done").waitFor();
    await test.inspect("first-steps");
    await step("Provision a network");
    await test.page.getByLabel("Name").fill("shop");
    await test.press("Show the plan");
    await test.page.getByRole("button", { name: /^Provision the network/ }).click();
    await finished();

    await overview();
    await step("Create an environment");
    await test.press("Create an environment");
    await dialog().getByLabel("Name").fill("shop");
    await dialog().getByLabel("Network").selectOption({ index: 1 });
    await inDialog(/^(Show the plan|Create an environment)$/);
    await heading("shop");
    await test.follow("Boot");
    await heading("Boot shop");
    await test.press("Show the plan");
    await test.page.getByRole("button", { name: /^Boot 1 server/ }).click();
    await heading("Start environment");
    await finished();
    await overview();
    await test.page.getByText("First steps").waitFor({ state: "detached" });
    await test.inspect("first-booted");
    expect((await aws.inventory(shared, { kinds: ["vpc", "instance"] })).instance).toHaveLength(1);
  });

  it("goes back to nothing, and finds on each page what comes next", async () => {
    await test.follow("Environments");
    await test.follow("shop");
    await test.choose("Remove the environment");
    await dialog().getByLabel("Type shop to confirm").fill("shop");
    await dialog().getByRole("button", { name: "Remove the environment", exact: true }).click();
    await finished();

    await test.follow("Networks");
    await test.follow("shop");
    await test.press("Remove the network");
    await test.shows(/^Its subnets go first/);
    await test.inspect("first-subnets");
    await inDialog(/^Remove the \d+ subnets$/);
    await test.shows("This network has no subnet yet");
    await test.press("Remove the network");
    await dialog().getByLabel("Type shop to confirm").fill("shop");
    await dialog().getByRole("button", { name: "Remove the network", exact: true }).click();
    await finished();
    await overview();
    await test.shows("Provision a network");
    const left = await aws.inventory(shared, { kinds: ["vpc", "instance", "subnet"] });
    expect(Object.values(left).flat()).toEqual([]);
  });
});
