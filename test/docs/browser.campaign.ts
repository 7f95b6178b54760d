import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApi, type TestApi } from "../support/api.js";
import { findChromium } from "../support/chromium.js";
import { openPort } from "../support/port.js";

const found = findChromium();
if ("reason" in found) console.warn(`The documentation is not tested in a browser: ${found.reason}.`);
const withBrowser = "options" in found ? describe : describe.skip;

withBrowser("the documentation in a browser", () => {
  let api: TestApi;
  let port: Awaited<ReturnType<typeof openPort>>;
  let url: string;
  let browser: Browser;
  let page: Page;
  const refusals: string[] = [];

  beforeAll(async () => {
    api = await startTestApi();
    port = await openPort();
    port.serve(api.app);
    url = port.url;
    if ("options" in found) browser = await chromium.launch(found.options);
    page = await browser.newPage();
    // The browser reports a script or a style that the page's policy forbids, and a file that is missing, on its console.
    page.on("console", (message) => message.type() === "error" && refusals.push(message.text()));
    page.on("pageerror", (error) => refusals.push(error.message));
  });
  afterAll(async () => {
    await browser?.close();
    await port.close();
    await api.close();
  });

  const visible = () => page.locator(".operation:visible");
  const count = () => page.locator("#count").textContent();

  it("filters operations by path, name and summary, with the keyboard alone, and says how many match", async () => {
    await page.goto(`${url}/docs`);
    const total = await visible().count();
    expect(total).toBeGreaterThan(200);
    expect(await count()).toBe(`${total} operations`);

    await page.keyboard.press("/");
    for (const [words, name] of [
      ["/networks/{network}", "deleteNetwork"],
      ["createnetwork", "createNetwork"],
      ["subnet in each zone", "createNetwork"],
    ] as const) {
      await page.keyboard.press("Escape");
      await page.keyboard.type(words);
      const matching = await visible().count();
      expect(matching).toBeLessThan(20);
      expect(await count()).toBe(`${matching} of ${total} operations match`);
      expect(await page.locator(`#${name}`).isVisible()).toBe(true);
    }
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    const open = page.locator(".operation[open]:visible");
    expect(await open.locator("pre").first().textContent()).toContain("curl ");
    await page.keyboard.press("/");
    await page.keyboard.press("Escape");
    expect(await visible().count()).toBe(total);
  });

  it("says that nothing matches, and shows all operations again", async () => {
    await page.goto(`${url}/docs`);
    await page.fill("#filter", "no such word");
    expect([await visible().count(), await page.locator(".nothing").isVisible()]).toEqual([0, true]);
    expect(await page.locator(".group:visible").count()).toBe(0);
    await page.click(".clear");
    expect(await visible().count()).toBeGreaterThan(200);
    expect(await page.locator(".nothing").isVisible()).toBe(false);
  });

  it("opens the operation that the address names, with a call to copy and its answer", async () => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: url });
    await page.goto(`${url}/docs#createNetwork`);
    const operation = page.locator("#createNetwork");
    const [call = "", answer = ""] = await operation.locator("pre").allTextContents();
    expect(JSON.parse(answer)).toHaveProperty("request.type", "provision_network");
    await operation.locator(".copy").first().click();
    await operation.locator("text=Copied").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(call);
  });

  it.each(["", "/requests", "/errors"])("has no wider page than a phone: /docs%s", async (path) => {
    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto(`${url}/docs${path}`);
    await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
  });

  it("runs under the API's policy for content, without an error", () => {
    expect(refusals).toEqual([]);
  });
});
