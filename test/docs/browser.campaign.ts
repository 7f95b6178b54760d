import { type Browser, chromium, type Page } from "playwright-core";
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

  /** The contrast of a text to what is behind it, as WCAG counts it. */
  async function contrast(selector: string): Promise<number> {
    const element = page.locator(selector).first();
    const colors = await element.evaluate((text) => {
      let behind = text;
      while (getComputedStyle(behind).backgroundColor === "rgba(0, 0, 0, 0)")
        behind = behind.parentElement ?? document.body;
      const canvas = document.createElement("canvas").getContext("2d");
      // A canvas turns each notation of a color into numbers.
      return [getComputedStyle(text).color, getComputedStyle(behind).backgroundColor].map((color) => {
        if (canvas) canvas.fillStyle = color;
        canvas?.fillRect(0, 0, 1, 1);
        return [...(canvas?.getImageData(0, 0, 1, 1).data ?? [])];
      });
    });
    const [one = 0, other = 0] = colors.map(luminance);
    return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  }
  const visible = () => page.locator(".operation:visible");
  const count = () => page.locator("#count").textContent();

  it("filters operations by path, name and summary, with only the keyboard, and shows how many match", async () => {
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

  it("introduces the API above its operations, with links to every guide", async () => {
    await page.goto(`${url}/docs`);
    expect(await page.locator("h1").allTextContents()).toEqual(["The Gantry API"]);
    const links = await page
      .locator("h1 ~ ul a, h1 + p a")
      .evaluateAll((all) => all.map((each) => each.getAttribute("href")));
    const guides = ["requests", "errors", "events", "webhooks"].map((name) => `/docs/${name}`);
    expect(links).toEqual(expect.arrayContaining(guides));
    await page.click("text=sign in with a browser");
    expect(await page.locator("#sign-in").isVisible()).toBe(true);
    await page.click("nav >> text=First call");
    expect(await page.locator("#a-first-call").isVisible()).toBe(true);
  });

  it("links from an operation's errors to the errors of every operation", async () => {
    await page.goto(`${url}/docs#createNetwork`);
    const refusals = page.locator("#createNetwork .refusals");
    await refusals.locator("summary").click();
    expect(await refusals.locator("li").allTextContents()).toContainEqual(expect.stringMatching(/^409 /));
    await refusals.locator("text=Errors of every operation").click();
    await page.locator("#refusals li", { hasText: /^429 / }).waitFor();
  });

  it.each(["light", "dark"] as const)("can be read in %s", async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    await page.goto(`${url}/docs#createNetwork`);
    const texts = [
      "h1",
      ".operation[open] .summary",
      ".operation[open] .method",
      ".operation[open] pre",
      "nav a",
      "#count",
    ];
    for (const text of texts) expect([text, (await contrast(text)) >= 4.5]).toEqual([text, true]);
    await page.emulateMedia({ colorScheme: null });
  });

  it("shows that nothing matches, and can show all operations again", async () => {
    await page.goto(`${url}/docs`);
    await page.fill("#filter", "no such word");
    expect([await visible().count(), await page.locator(".nothing").isVisible()]).toEqual([0, true]);
    expect(await page.locator(".group:visible").count()).toBe(0);
    await page.click(".clear");
    expect(await visible().count()).toBeGreaterThan(200);
    expect(await page.locator(".nothing").isVisible()).toBe(false);
  });

  it("opens the operation in the URL, with a call to copy and its response", async () => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: url });
    await page.goto(`${url}/docs#createNetwork`);
    const operation = page.locator("#createNetwork");
    const [call = "", answer = ""] = await operation.locator("pre").allTextContents();
    expect(JSON.parse(answer)).toHaveProperty("request.type", "provision_network");
    await operation.locator(".copy").first().click();
    await operation.locator("text=Copied").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(call);
  });

  it.each(["", "/requests", "/errors", "/signing-in"])("has no wider page than a phone: /docs%s", async (path) => {
    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto(`${url}/docs${path}`);
    await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
  });

  it("runs under the API's policy for content, without an error", () => {
    expect(refusals).toEqual([]);
  });
});

function luminance(channels: number[]): number {
  const [red = 0, green = 0, blue = 0] = channels.map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
