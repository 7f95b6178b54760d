import { randomUUID } from "node:crypto";
import { createCaller } from "../support/api.js";
import { PASSWORD, useBrowser, withBrowser } from "./browser.js";

withBrowser("a colleague who joins", () => {
  const test = useBrowser();
  const dialog = () => test.page.getByRole("dialog");
  const enter = async (email: string) => {
    const { page, gantry } = test;
    await page.context().clearCookies();
    await page.goto(`${gantry.url}/console/`);
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password").fill(PASSWORD);
    await test.press("Sign in");
  };

  it("is created by the staff, invited by an admin, accepts, and opens an account", async () => {
    const { page, gantry } = test;
    const staff = await createCaller(gantry.api, { staff: true, password: PASSWORD });
    const email = `${randomUUID()}@example.com`;

    await enter(`${staff.userId}@example.com`);
    await page.getByRole("heading", { name: "Accounts" }).waitFor();
    await test.inspect("accounts-staff");
    await test.open("staff/users");
    await test.press("Create a user");
    await dialog().getByLabel("Name").fill("Grace");
    await dialog().getByLabel("E-mail").fill(email);
    await dialog().getByLabel("Password").fill(PASSWORD);
    await dialog().getByRole("button", { name: "Create a user" }).click();
    await page.getByLabel("Whole e-mail").fill(email);
    await page.getByRole("row", { name: email }).waitFor();
    await test.inspect("users");

    await enter(test.email);
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await test.open("people");
    await test.press("Invite a person");
    await dialog().getByLabel("E-mail").fill(email);
    await dialog().getByLabel("Role").selectOption("viewer");
    await dialog().getByRole("button", { name: "Invite a person" }).click();
    await page.getByRole("tab", { name: "Invitations" }).click();
    await page.getByRole("row", { name: email }).waitFor();

    await enter(email);
    await page.getByRole("heading", { name: "Invitations to you" }).waitFor();
    await test.shows("You are not a member of an account yet");
    await test.inspect("accounts-invited");
    await test.press("Accept");
    await dialog().getByRole("button", { name: "Accept the invitation" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    // A viewer sees why the acts of the others are not theirs.
    await test.open("people");
    const invite = page.getByRole("button", { name: "Invite a person", disabled: true });
    expect(await invite.getAttribute("title")).toBe("Needs the role admin");
    const { body } = await gantry.owner.get(`/accounts/${gantry.owner.accountId}/memberships`);
    expect(body.memberships.map(({ role }: { role: string }) => role)).toContain("viewer");

    await page.goto(`${gantry.url}/console/accounts`);
    await test.press("Create an account");
    await dialog().getByLabel("Name").fill("Grace's own");
    await dialog().getByRole("button", { name: "Create an account" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.getByRole("button", { name: "Account Grace's own" }).waitFor();
  });
});
