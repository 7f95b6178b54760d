import { randomUUID } from "node:crypto";
import type { CDPSession, Page } from "playwright-core";
import { useBrowser, withBrowser } from "./browser.js";

const MANY = 100_000;
const EVENTS_A_SECOND = 200;
const SECONDS = Number(process.env.CONSOLE_EVENT_SECONDS ?? 60);
/** How often the events of a second are written. */
const BATCHES = 5;
const RUNNING = 50;
const IDLE_MS = 30_000;

interface Load {
  commits: number;
  longTasks: number[];
}

/** Counts the times at which the page changes, and the tasks that block it. */
const WATCH = `
  window.load = { commits: 0, longTasks: [] };
  new MutationObserver(() => window.load.commits++)
    .observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
  new PerformanceObserver((list) => window.load.longTasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: "longtask" });`;

/** When a condition holds in the page, in ms since 1970: Playwright itself looks only each 500 ms. */
function timeOf(page: Page, condition: string): Promise<number> {
  return page.evaluate<number>(
    `new Promise((resolve) => {
      const look = () => ${condition} ? resolve(performance.timeOrigin + performance.now()) : requestAnimationFrame(look);
      look();
    })`,
  );
}

// The figures depend on the machine and are printed; what is asserted does not.
withBrowser("the measures of the console", () => {
  const test = useBrowser();
  const figures: Record<string, unknown> = {};
  const place = (path: string) => `${test.gantry.url}/console/${test.gantry.owner.accountId}/${path}`;
  const firstRow = (page: Page) => page.getByRole("main").getByRole("row").nth(1).getByRole("link").first().waitFor();

  beforeAll(async () => {
    await test.signIn();
    await insertRequests(0, MANY);
  });
  afterEach(() => console.info(figures));

  it("loads the list of Requests, cold, warm and over a slow network", async () => {
    const cdp = await test.context.newCDPSession(test.page);
    const load = async () => {
      await test.page.goto("about:blank");
      const from = Date.now();
      await test.page.goto(place("requests"), { waitUntil: "commit" });
      return Math.round((await timeOf(test.page, `document.querySelector("main tbody tr a")`)) - from);
    };
    await load();
    const times = { cold: [] as number[], warm: [] as number[], slow: [] as number[] };
    for (let run = 0; run < 3; run++) {
      await cdp.send("Network.clearBrowserCache");
      times.cold.push(await load());
      times.warm.push(await load());
    }
    await cdp.send("Network.clearBrowserCache");
    await cdp.send("Network.enable");
    const slow = { offline: false, latency: 400, downloadThroughput: 125_000, uploadThroughput: 125_000 };
    await cdp.send("Network.emulateNetworkConditions", slow);
    times.slow.push(await load());
    times.slow.push(await load());
    await cdp.send("Network.emulateNetworkConditions", {
      ...slow,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: -1,
    });
    figures["ms to the first row: cold, warm; at 400 ms and 1 Mbit/s cold, then warm"] = times;
  });

  it(`answers a filter over ${MANY} Requests`, async () => {
    await test.page.goto(place("requests"));
    await firstRow(test.page);
    const times: number[] = [];
    for (const state of ["failed", "finished", "cancelled", "running"]) {
      const answer = test.page.waitForResponse((response) => response.url().includes(`state=${state}`));
      await test.page.getByLabel("State").selectOption(state);
      const { responseEnd, requestStart } = (
        await answer.then(async (response) => {
          await response.finished();
          return response.request();
        })
      ).timing();
      times.push(Math.round(responseEnd - requestStart));
    }
    figures["ms of an answer of a filter"] = times;
  });

  it("reads nothing while nothing happens", async () => {
    const calls: string[] = [];
    test.page.on("request", (request) => calls.push(request.url()));
    for (const path of ["", "requests", "networks", "drift", "alerts"]) {
      await test.page.goto(place(path));
      await test.page.getByRole("heading").first().waitFor();
      await test.page.waitForTimeout(3000);
      calls.length = 0;
      await test.page.waitForTimeout(path === "" ? IDLE_MS : IDLE_MS / 6);
      expect({ path, calls }).toEqual({ path, calls: [] });
    }
  });

  it("shows an event soon after its transaction", async () => {
    await test.page.goto(place("requests"));
    await firstRow(test.page);
    const times: number[] = [];
    for (let run = 0; run < 10; run++) {
      const text = JSON.stringify(`${run + 1} new`);
      const shown = timeOf(
        test.page,
        `[...document.querySelectorAll("main button")].some((each) => each.textContent.includes(${text}))`,
      );
      await insertRequests(MANY + run, 1);
      const from = Date.now();
      times.push(Math.round((await shown) - from));
    }
    figures["ms from a transaction to its event being shown"] = times.sort((one, other) => one - other);
  });

  it.each(["", "requests?type=provision_subnet"])(
    `keeps pace with ${EVENTS_A_SECOND} events a second, and ends as a fresh load: /%s`,
    async (path) => {
      const ids = await runningRequests();
      await test.page.goto(place(path));
      await firstRow(test.page);
      const cdp = await test.context.newCDPSession(test.page);
      const heap = async () => {
        await cdp.send("HeapProfiler.collectGarbage");
        return (await cdp.send("Runtime.getHeapUsage")).usedSize / 1_000_000;
      };
      await test.page.evaluate(WATCH);
      const before = await heap();
      const cpu = await busyMs(cdp);
      for (let tick = 0; tick < SECONDS * BATCHES; tick++) {
        const next = performance.now() + 1000 / BATCHES;
        await changeRequests(ids, tick, EVENTS_A_SECOND / BATCHES);
        await test.page.waitForTimeout(Math.max(0, next - performance.now()));
      }
      await test.gantry.api.db.$executeRaw`
        UPDATE requests SET stage = 'last', waiting_for = CASE WHEN id = ANY(${ids.slice(0, RUNNING / 2)}::uuid[]) THEN 'AWS' END
        WHERE id = ANY(${ids}::uuid[])`;
      await test.page.waitForTimeout(8000);
      const busy = (await busyMs(cdp)) - cpu;
      const { commits, longTasks } = await test.page.evaluate<Load>("window.load");
      figures[`${EVENTS_A_SECOND} events/s for ${SECONDS} s on /${path}`] = {
        "commits a second": round(commits / SECONDS),
        "long tasks": longTasks.length,
        "longest task in ms": Math.round(Math.max(0, ...longTasks)),
        "main thread busy in %": round(busy / (SECONDS * 10)),
        "heap grown by MB": round((await heap()) - before),
      };
      const shown = await rowsOf(test.page);
      const fresh = await test.context.newPage();
      await fresh.goto(place(path));
      await firstRow(fresh);
      expect(shown).toEqual(await rowsOf(fresh));
      await fresh.close();
    },
  );

  /** Requests of before, each a second older than the one before it. */
  async function insertRequests(from: number, count: number): Promise<void> {
    await test.gantry.api.db.$executeRaw`
      INSERT INTO requests (id, account_id, type, input, trace_id, created_at, started_at, finished_at, deadline_at, next_run_at, successful, message)
      SELECT gen_random_uuid(), ${test.gantry.owner.accountId}::uuid, 'provision_network', '{}', ${randomUUID().replaceAll("-", "")},
        now() - CASE WHEN ${count} = 1 THEN interval '0' ELSE make_interval(secs => n) END, now(), now(), now(), now(),
        n % 100 > 0, CASE WHEN n % 100 = 0 THEN 'No' END
      FROM generate_series(${from + 1}::int, ${from + count}::int) n`;
  }

  /** Requests that no worker runs, in the place of those of before. */
  async function runningRequests(): Promise<string[]> {
    const { db } = test.gantry.api;
    await db.$executeRaw`UPDATE requests SET finished_at = now(), successful = true WHERE finished_at IS NULL`;
    const rows = await db.$queryRaw<{ id: string }[]>`
      INSERT INTO requests (id, account_id, type, input, trace_id, started_at, deadline_at, next_run_at)
      SELECT gen_random_uuid(), ${test.gantry.owner.accountId}::uuid, 'provision_subnet', '{}',
        ${randomUUID().replaceAll("-", "")}, now(), now() + interval '1 day', now() + interval '1 day'
      FROM generate_series(1, ${RUNNING}::int) RETURNING id::text`;
    return rows.map(({ id }) => id);
  }

  /** One event for each of some Requests. */
  async function changeRequests(ids: string[], tick: number, count: number): Promise<void> {
    const some = ids.map((_, index) => ids[(index + tick) % ids.length] ?? "").slice(0, count);
    await test.gantry.api.db.$executeRaw`
      UPDATE requests SET stage = ${`stage ${tick}`} WHERE id = ANY(${some}::uuid[])`;
  }

  async function busyMs(cdp: CDPSession): Promise<number> {
    await cdp.send("Performance.enable");
    const { metrics } = await cdp.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1000;
  }

  /** What the rows say, but for their times. */
  function rowsOf(page: Page): Promise<string[]> {
    return page.evaluate<string[]>(
      `[...document.querySelectorAll("main tbody tr")].map((row) => [...row.cells].slice(0, 2).map((cell) => cell.textContent).join(" "))`,
    );
  }
});

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
