import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApp } from "../../scripts/processes.js";
import { aws } from "../support/account.js";
import { createCaller } from "../support/api.js";
import { startFlakyTcpProxy, throughProxy } from "../support/flaky-tcp-proxy.js";
import { awsEndpoint, redisUrl, testMasterKey } from "../support/stack.js";
import { PASSWORD, useBrowser, withBrowser } from "./browser.js";

const NETWORKS = 500;
/** How long AWS takes for each call until a takeover was seen: the worker that is killed must hold some. */
const CALL_MS = 3000;

const proxy = await startFlakyTcpProxy(new URL(redisUrl));
afterAll(() => proxy.close());

withBrowser("the staff's page while parts of Gantry are away", () => {
  // The API and one worker reach Redis through the proxy; the other worker is a process.
  const test = useBrowser({ REDIS_URL: throughProxy(proxy, redisUrl), WORKER_CONCURRENCY: "5" });
  const fact = (name: string) => test.page.locator("dt", { hasText: name }).locator("xpath=following-sibling::dd[1]");

  it("shows Redis away, a worker that was killed, the takeover of its Requests, and how the others get done", async () => {
    const { gantry, page } = test;
    const { env } = gantry.api;
    const folder = await mkdtemp(join(tmpdir(), "gantry-staff-"));
    const settings = {
      DATABASE_URL: env.DATABASE_URL,
      REDIS_URL: redisUrl,
      QUEUE_PREFIX: env.QUEUE_PREFIX,
      MASTER_KEY: testMasterKey,
      AWS_ENDPOINT_URL: awsEndpoint,
      AWS_VISIBILITY_SECONDS: "0",
      WORKER_CONCURRENCY: "5",
      PORT: "0",
      METRICS_PORT: "0",
    };
    const worker = await startApp("worker", settings, folder);
    try {
      const staff = await createCaller(gantry.api, { staff: true, password: PASSWORD });
      await page.goto(`${gantry.url}/console/`);
      await page.getByLabel("E-mail").fill(`${staff.userId}@example.com`);
      await page.getByLabel("Password").fill(PASSWORD);
      await test.press("Sign in");
      await page.getByRole("heading", { name: "Accounts" }).waitFor();
      await test.open("staff");
      const workers = page.getByRole("table", { name: "Workers" });
      await workers.getByRole("row", { name: /alive/ }).nth(1).waitFor();
      expect(await fact("Redis").textContent()).toBe("responds");

      const delay = await aws.delay("*", CALL_MS, { accessKeyId: test.keys.accessKeyId });
      for (let index = 0; index < NETWORKS; index++) {
        const cidr = `10.${index % 256}.${index < 256 ? 0 : 128}.0/17`;
        const network = { cidr, location: "us-east-1", skip_subnets: true };
        expect((await gantry.owner.post("/networks", { provider: test.providerId, network })).status).toBe(200);
      }
      await workers
        .getByRole("row", { name: `(${worker.pid})` })
        .filter({ hasText: /[1-5] of 5/ })
        .waitFor();
      worker.process.kill("SIGKILL");

      await fact("Takeovers")
        .getByText(/^[1-9]/)
        .waitFor();
      await workers
        .getByRole("row", { name: `(${worker.pid})` })
        .filter({ hasText: "unseen" })
        .waitFor();
      await test.inspect("staff-unseen");
      const { requests } = (await staff.get("/operations")).body.operations;
      expect(requests.oldest_due_seconds).toBeGreaterThan(5);
      await aws.clear({ id: delay });

      proxy.disconnect();
      await fact("Redis").getByText("does not respond").waitFor();
      await test.shows("Redis does not respond, so the workers cannot be read");
      await test.inspect("staff-redis-away");
      await proxy.restore();
      await fact("Redis").getByText("responds", { exact: true }).waitFor();

      await fact("Requests that are due").getByText("0", { exact: true }).waitFor();
      await fact("The oldest of them").getByText("–").waitFor();
      await fact("Running").getByText("0", { exact: true }).waitFor();
      test.problems.length = 0;
    } finally {
      await worker.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
