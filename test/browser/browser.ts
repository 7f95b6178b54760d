import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import axe from "axe-core";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { createCaller } from "../support/api.js";
import { findChromium } from "../support/chromium.js";
import { type LiveGantry, startLiveGantry } from "../support/live.js";

const root = join(import.meta.dirname, "../..");
/** What the pages look like, for people: no machine compares them. */
const PICTURES = join(root, ".gantry/console-pictures");
export const PASSWORD = "correct horse battery staple";
const SIZES = { wide: { width: 1280, height: 860 }, narrow: { width: 390, height: 800 } };
/** A busy machine may take as long as a test may. */
const WAIT_MS = 120_000;

const found = findChromium();
if ("reason" in found) console.warn(`The console is not tested in a browser: ${found.reason}.`);

/** As `describe`, if there is a browser. */
export function withBrowser(name: string, run: () => void): void {
  // Each file has a `describe` of its own, but this module is loaded once for all.
  const group = "options" in found ? describe : describe.skip;
  group(name, run);
}

/** A browser beside a running Gantry. */
export interface ConsoleTest {
  gantry: LiveGantry;
  /** The owner's AWS account, in which its provider works. */
  keys: Awaited<ReturnType<LiveGantry["addProvider"]>>["keys"];
  providerId: number;
  /** Signs in with `PASSWORD`. */
  email: string;
  context: BrowserContext;
  page: Page;
  /** What went wrong in the page since the last look; a test that provokes an error takes it from here. */
  problems: string[];
  shows(text: string | RegExp): Promise<void>;
  press(name: string): Promise<void>;
  follow(name: string): Promise<void>;
  /** Chooses an act of the page's menu "More". */
  choose(act: string): Promise<void>;
  signIn(): Promise<void>;
  /** Opens a page of the owner's account, such as `networks`. */
  open(place: string): Promise<void>;
  /** Takes pictures of a page in both themes and widths, in which axe may find nothing. */
  inspect(name: string): Promise<void>;
}

/** Starts a browser and Gantry before the tests of a group, and fails each test on an error in the page. */
export function useBrowser(settings: Record<string, string> = {}): ConsoleTest {
  const test = {} as ConsoleTest;
  let browser: Browser;

  beforeAll(async () => {
    await promisify(execFile)(process.execPath, [join(root, "apps/console/build.mjs")]);
    mkdirSync(PICTURES, { recursive: true });
    const gantry = await startLiveGantry(settings);
    const { keys, providerId } = await gantry.addProvider();
    const person = await createCaller(gantry.api, { accountId: gantry.owner.accountId, password: PASSWORD });
    if ("options" in found) browser = await chromium.launch(found.options);
    const context = await browser.newContext({ viewport: SIZES.wide });
    context.setDefaultTimeout(WAIT_MS);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    // The browser reports what the page's policy forbids, and each answer that is an error, on its console.
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(`${message.text()} ${message.location().url}`);
    });
    page.on("request", (request) => request.url().startsWith(gantry.url) || problems.push(request.url()));
    const email = `${person.userId}@example.com`;
    Object.assign(test, { gantry, keys, providerId, email, context, page, problems }, methodsOf(page, gantry, email));
  });
  afterEach(async () => {
    await test.page.screenshot({ path: join(PICTURES, "last.png"), fullPage: true });
    expect(test.problems.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await test.gantry?.close();
  });
  return test;
}

function methodsOf(page: Page, gantry: LiveGantry, email: string) {
  const press = (name: string) => page.getByRole("button", { name, exact: true }).first().click();
  return {
    press,
    shows: (text: string | RegExp) => page.getByText(text).first().waitFor(),
    follow: (name: string) => page.getByRole("link", { name, exact: true }).first().click(),
    choose: async (act: string) => {
      await press("More");
      await page.getByRole("menuitem", { name: act, exact: true }).click();
    },
    open: async (place: string) => {
      await page.goto(`${gantry.url}/console/${gantry.owner.accountId}/${place}`);
    },
    signIn: async () => {
      await page.goto(`${gantry.url}/console/`);
      await page.getByLabel("E-mail").fill(email);
      await page.getByLabel("Password").fill(PASSWORD);
      await press("Sign in");
      await page.getByRole("heading", { name: "Overview" }).waitFor();
    },
    inspect: (name: string) => inspect(page, name),
  };
}

async function inspect(page: Page, name: string): Promise<void> {
  const findings: unknown[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    for (const [size, viewport] of Object.entries(SIZES)) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.setViewportSize(viewport);
      await page.screenshot({ path: join(PICTURES, `${name}-${colorScheme}-${size}.png`), fullPage: true });
      await page.evaluate(axe.source);
      const { violations } = (await page.evaluate("axe.run()")) as axe.AxeResults;
      for (const { id, nodes } of violations)
        findings.push([name, colorScheme, size, id, nodes.map(({ html, failureSummary }) => [html, failureSummary])]);
      const width = await page.evaluate<number>("document.documentElement.scrollWidth");
      if (width > viewport.width) findings.push([name, size, "scrolls sideways", width]);
    }
  }
  await page.setViewportSize(SIZES.wide);
  expect(findings).toEqual([]);
}
