import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { useBrowser, withBrowser } from "./browser.js";

const DIST = join(import.meta.dirname, "../../apps/console/dist");
/** Compressed by gzip: the sign-in, the first page of an account, and any further page. */
const LIMITS_KB = { signIn: 140, overview: 215, page: 25 };

withBrowser("the bytes of the console", () => {
  const test = useBrowser();
  let loaded: Set<string>;

  it("stay within the limits of the sign-in, of the first page and of each further page", async () => {
    const { page } = test;
    loaded = new Set();
    page.on("response", (response) => {
      const { pathname } = new URL(response.url());
      if (pathname.startsWith("/console/")) loaded.add(/\.\w+$/.test(pathname) ? pathname.slice(9) : "index.html");
    });
    await page.goto(`${test.gantry.url}/console/`);
    await page.getByLabel("E-mail").waitFor();
    const figures: Record<string, number> = { "sign-in": kilobytes() };
    await test.signIn();
    await page.waitForLoadState("networkidle");
    figures.overview = kilobytes();
    const places = await page.getByRole("navigation", { name: "Pages of the account" }).getByRole("link").all();
    const names = await Promise.all(places.map((place) => place.textContent()));
    const limits: Record<string, number> = { "sign-in": LIMITS_KB.signIn, overview: LIMITS_KB.overview };
    for (const text of names) {
      // Without the number of what is open.
      const name = text?.replace(/[\d,+]+$/, "").trim();
      if (!name || name === "API documentation") continue;
      const before = kilobytes();
      await test.follow(name);
      await page.getByRole("heading", { name, level: 1 }).waitFor();
      await page.waitForLoadState("networkidle");
      figures[name] = kilobytes() - before;
      limits[name] = LIMITS_KB.page;
    }
    console.info(figures);
    expect(Object.entries(figures).filter(([name, size]) => size > (limits[name] ?? 0))).toEqual([]);
  });

  function kilobytes(): number {
    const bytes = [...loaded].map((name) => {
      const file = join(DIST, name);
      return statSync(existsSync(`${file}.gz`) ? `${file}.gz` : file).size;
    });
    return bytes.reduce((sum, size) => sum + size, 0) / 1000;
  }
});
