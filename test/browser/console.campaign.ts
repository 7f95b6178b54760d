import { aws } from "../support/account.js";
import { PASSWORD, useBrowser, withBrowser } from "./browser.js";

withBrowser("the console in a browser", () => {
  const test = useBrowser();

  it("leads a browser to the sign-in, and a person with a password to the account", async () => {
    await test.page.goto(test.gantry.url);
    await test.page.getByLabel("E-mail").fill(test.email);
    await test.inspect("sign-in");
    await test.page.getByLabel("Password").fill(PASSWORD);
    await test.press("Sign in");
    await test.page.getByRole("heading", { name: "Overview" }).waitFor();
    await test.shows("First steps");
    await test.inspect("overview-empty");
    await test.follow("Networks");
    await test.shows("This account has no network yet");
    await test.inspect("networks-empty");
  });

  it("provisions a network after its plan, and shows its stages and AWS objects without a reload", async () => {
    await test.page.getByRole("main").getByRole("link", { name: "Provision a network" }).first().click();
    await test.page.getByLabel("Region").selectOption("us-east-1");
    await test.page.getByLabel("Name").fill("shop");
    await test.inspect("provision");
    await test.press("Show the plan");
    await test.shows(/^network in us-east-1/);
    await test.inspect("provision-plan");
    await test.page.getByRole("button", { name: /^Provision the network/ }).click();
    await test.page.getByRole("heading", { name: "Provision network" }).waitFor();
    await test.page
      .getByRole("row", { name: /vpc-[0-9a-f]+/ })
      .first()
      .waitFor();
    await test.page.getByRole("status").getByText("finished").waitFor();
    await test.page
      .getByRole("listitem")
      .filter({ hasText: /^create.*finished/ })
      .waitFor();
    await test.inspect("request-finished");
    await test.page.getByRole("tab", { name: "Log" }).click();
    await test.shows("accepted");
    expect(await test.page.getByLabel("Log", { exact: true }).getByRole("listitem").last().textContent()).toMatch(
      /finished$/,
    );
    await test.inspect("request-log");
    await test.press("curl");
    await test.shows(/^curl -sS/);
    await test.inspect("curl");
    await test.page.keyboard.press("Escape");
  });

  it("cancels a Request, and says that nothing is left in AWS", async () => {
    const natGateways = (natGatewayMs: number) =>
      aws.setTransitionDelays({ natGatewayMs }, { accountId: test.keys.accountId });
    await natGateways(3_600_000);
    await test.follow("Networks");
    await test.shows("shop");
    await test.inspect("networks");
    await test.follow("Provision a network");
    await test.page.getByLabel("Block of addresses").fill("10.1.0.0/16");
    await test.page.getByLabel("Region").selectOption("us-east-1");
    await test.page.getByLabel("Private subnets").check();
    await test.press("Show the plan");
    await test.page.getByRole("button", { name: /^Provision the network/ }).click();
    await test.page
      .getByRole("row", { name: /vpc-[0-9a-f]+/ })
      .first()
      .waitFor();
    await test.press("Cancel");
    await test.inspect("cancel");
    await natGateways(0);
    await test.press("Cancel the Request");
    await test.page.getByRole("status").getByText("cancelled").waitFor();
    await test.shows("Nothing is left in AWS.");
    await test.inspect("request-cancelled");
  });

  it("lists Requests by the filters of the URL, and one that another client makes behind a button", async () => {
    await test.follow("Requests");
    await test.page
      .getByRole("row", { name: /Provision network/ })
      .first()
      .waitFor();
    await test.inspect("requests");
    await test.page.getByLabel("State").selectOption("cancelled");
    await test.page.waitForURL(/state=cancelled/);
    await test.page.getByText("1 in all").waitFor();
    await test.page.getByLabel("Name or type").fill("no such name");
    await test.shows("No record matches");
    await test.inspect("requests-none");
    await test.press("Clear filters");
    await test.page
      .getByRole("row", { name: /Provision network/ })
      .first()
      .waitFor();
    await test.gantry.done(await test.gantry.owner.put(`/providers/${test.providerId}/locations/discover`));
    await test.page.getByRole("button", { name: /^\d+ new$/ }).click();
    await test.page
      .getByRole("row", { name: /Discover/ })
      .first()
      .waitFor();
  });

  it("removes a network whose name was typed", async () => {
    const { body } = await test.gantry.owner.get("/subnets?per_page=100");
    await Promise.all(
      body.subnets.map(async ({ id }: { id: string }) =>
        test.gantry.done(await test.gantry.owner.delete(`/subnets/${id}`)),
      ),
    );
    await test.follow("Networks");
    await test.follow("shop");
    await test.page.getByRole("heading", { name: "shop" }).waitFor();
    await test.inspect("network");
    await test.press("Remove the network");
    const dialog = test.page.getByRole("dialog");
    await dialog.getByLabel("Plan").waitFor();
    await test.inspect("removal");
    const remove = dialog.getByRole("button", { name: "Remove the network", exact: true });
    expect(await remove.isDisabled()).toBe(true);
    await dialog.getByLabel("Type shop to confirm").fill("shop");
    await remove.click();
    await test.page.getByRole("heading", { name: "Deprovision network" }).waitFor();
    await test.page.getByRole("status").getByText("finished").waitFor();
    await test.follow("Gantry");
    await test.page.getByRole("heading", { name: "Overview" }).waitFor();
    await test.shows("Nothing runs now");
    await test.inspect("overview");
  });

  it("signs out", async () => {
    await test.page.getByRole("button", { name: /^Signed in as/ }).click();
    await test.inspect("menu");
    await test.page.getByRole("menuitem", { name: "Sign out" }).click();
    await test.page.getByLabel("Password").waitFor();
    expect((await test.context.cookies()).map(({ value }) => value).join("")).toBe("");
  });
});
