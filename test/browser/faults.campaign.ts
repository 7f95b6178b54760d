import { randomUUID } from "node:crypto";
import { PASSWORD, useBrowser, withBrowser } from "./browser.js";

/** Letters of four scripts, one of them from right to left, and what a page without care would run or render. */
const HOSTILE = "<img src=x onerror=alert(1)> Ωμέγα مرحبا שלום 日本語 {{7*7}}";

withBrowser("the console amid faults", () => {
  const test = useBrowser();
  const provision = (name: string, cidr: string) =>
    test.gantry.owner.post("/networks", {
      provider: test.providerId,
      network: { cidr, location: "us-east-1", name, skip_subnets: true },
    });

  beforeAll(() => test.signIn());

  it("shows names of 200 characters in several scripts as text, at any width", async () => {
    const long = `${HOSTILE} ${"wide".repeat(40)}`.slice(0, 200);
    await test.gantry.done(await provision(long, "10.20.0.0/16"));
    await test.open("networks");
    await test.page.getByRole("link", { name: long }).waitFor();
    await test.inspect("networks-hostile");
    await test.page.getByRole("link", { name: long }).click();
    await test.page.getByRole("heading", { name: long }).waitFor();
    await test.inspect("network-hostile");
  });

  it("says since when there is no contact, and shows what happened meanwhile once the API is back", async () => {
    await test.open("networks");
    await test.page.getByRole("link", { name: HOSTILE }).waitFor();
    await test.gantry.away(async () => {
      await test.shows(/^No contact since/);
      await test.inspect("offline");
      const refused = test.page.getByRole("button", { name: "Provision a network" });
      expect(await refused.count()).toBe(0);
    });
    await test.gantry.done(await provision("meanwhile", "10.21.0.0/16"));
    await test.page.getByText(/^No contact since/).waitFor({ state: "detached" });
    await test.page.getByRole("button", { name: /^\d+ new$/ }).click();
    await test.page.getByRole("link", { name: "meanwhile" }).waitFor();
    test.problems.length = 0;
  });

  it("keeps what a person has typed when the session ends while a form is open", async () => {
    await test.open("networks/new");
    await test.page.getByLabel("Name").fill("typed before");
    await test.gantry.api.db.token.updateMany({ where: { name: "console" }, data: { deletedAt: new Date() } });
    await test.shows("Your session has ended");
    await test.inspect("session-ended");
    await test.page.getByLabel("E-mail").fill(test.email);
    await test.page.getByLabel("Password").fill(PASSWORD);
    await test.press("Sign in");
    await test.page.getByText("Your session has ended").waitFor({ state: "detached" });
    expect(await test.page.getByLabel("Name").inputValue()).toBe("typed before");
    await test.press("Show the plan");
    await test.shows(/^network in /);
    test.problems.length = 0;
  });

  it("shows times by the clock of the API, although that of the browser is an hour behind", async () => {
    await test.gantry.done(await provision("just made", "10.22.0.0/16"));
    const page = await test.context.newPage();
    await page.clock.install({ time: Date.now() - 3_600_000 });
    await page.goto(`${test.gantry.url}/console/${test.gantry.owner.accountId}/networks`);
    await page
      .getByRole("row", { name: /just made/ })
      .getByText(/^(just now|\d+ s ago)$/)
      .waitFor();
    await page.close();
  });

  it("shows what happened while its tab was hidden, for so long that the events are no longer kept", async () => {
    const { page, gantry } = test;
    const { db } = gantry.api;
    await test.open("networks");
    await page.getByRole("link", { name: HOSTILE }).waitFor();
    const hide = (isHidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, "hidden", { configurable: true, value: ${isHidden} });
        document.dispatchEvent(new Event("visibilitychange"));`);
    await page.clock.install();
    await hide(true);
    await page.clock.fastForward(11_000);
    await gantry.done(await provision("while hidden", "10.23.0.0/16"));
    // As retention does: all events until now are gone, and so is the place where this tab stopped reading.
    await db.$executeRaw`DELETE FROM events`;
    await db.$executeRaw`UPDATE event_clocks SET kept_from = (SELECT event_horizon())`;
    await hide(false);
    await page.clock.fastForward(5_000);
    await page.getByRole("link", { name: "while hidden" }).waitFor();
    test.problems.length = 0;
  });

  it("shows the events of a type without a gap, after more events than it keeps have come", async () => {
    const { db } = test.gantry.api;
    const { accountId } = test.gantry.owner;
    const marks = ["first", "second", "third", "fourth"].map((each) => `the ${each} end`);
    await db.$executeRaw`
      INSERT INTO requests (id, account_id, type, input, trace_id, started_at, deadline_at, next_run_at, message)
      SELECT gen_random_uuid(), ${accountId}::uuid, 'provision_subnet', '{}', ${randomUUID().replaceAll("-", "")},
        now(), now() + interval '1 day', now() + interval '1 day', name
      FROM unnest(${marks} || array_fill(NULL::text, ARRAY[400])) name`;
    const lines = test.page.getByRole("list", { name: "Events" }).getByText("request.failed");
    await test.open("events?type=request.failed");
    await test.shows(/^No event yet/);
    for (const mark of marks) {
      await db.$executeRaw`UPDATE requests SET finished_at = now(), successful = false WHERE message = ${mark}`;
      await db.$executeRaw`UPDATE requests SET stage = ${mark} WHERE finished_at IS NULL AND message IS NULL`;
      await lines.nth(marks.indexOf(mark)).waitFor();
    }
    expect(await lines.count()).toBe(marks.length);
    await db.$executeRaw`UPDATE requests SET finished_at = now(), successful = true WHERE finished_at IS NULL`;
  });

  it("pages through ten thousand Requests, and finds those of a state", async () => {
    const { db } = test.gantry.api;
    const { accountId } = test.gantry.owner;
    await db.$executeRaw`
      INSERT INTO requests (id, account_id, type, input, trace_id, created_at, updated_at, started_at, finished_at, deadline_at, next_run_at, successful, message)
      SELECT gen_random_uuid(), ${accountId}::uuid, 'provision_network', '{}', ${randomUUID().replaceAll("-", "")},
        now() - make_interval(secs => n), now(), now(), now(), now(), now(), n % 100 > 0, CASE WHEN n % 100 = 0 THEN 'No' END
      FROM generate_series(1, 10000) n`;
    await test.open("requests");
    await test.page.getByText(/10,0\d\d in all/).waitFor();
    await test.press("Older");
    await test.page.waitForURL(/cursor=/);
    await test.page.getByLabel("State").selectOption("failed");
    await test.page.getByText(/^10\d in all/).waitFor();
    await test.inspect("requests-many");
  });
});
