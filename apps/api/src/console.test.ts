import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { startTestApi, type TestApi } from "@gantry/test/support/api";
import supertest from "supertest";

const SCRIPT = "export {};";
const folder = mkdtempSync(join(tmpdir(), "gantry-console-"));
const outside = `${folder}.txt`;
let api: TestApi;

beforeAll(async () => {
  writeFileSync(outside, "outside");
  api = await startTestApi({ CONSOLE_FILES: folder });
});
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true });
  rmSync(outside);
});

const get = (path: string, accept = "text/html") => supertest(api.app).get(path).set("Accept", accept);

it("leads a browser that opens the address to the console, and no other client", async () => {
  const { status, headers } = await get("/", "text/html,application/xhtml+xml,*/*;q=0.8");
  expect([status, headers.location]).toEqual([302, "/console/"]);
  for (const accept of ["*/*", "application/json"]) expect((await get("/", accept)).status).toBe(404);
});

it("says how to build the console while there is none, and serves it as soon as there is", async () => {
  const { status, body } = await get("/console/");
  expect([status, body.errors]).toEqual([404, ["the console is not built; run `npm run console`"]]);
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>Gantry</title>");
  writeFileSync(join(folder, "assets/page-1a2b.js"), SCRIPT);
  writeFileSync(join(folder, "assets/page-1a2b.js.gz"), gzipSync(SCRIPT));
  for (const path of ["/console", "/console/", "/console/an-account/requests"]) {
    const { status, text, headers } = await get(path);
    expect([status, headers["cache-control"]]).toEqual([200, "no-cache"]);
    expect(text).toContain("<title>Gantry</title>");
  }
});

it("lets a page run only its own files", async () => {
  const { headers } = await get("/console/");
  const policy = headers["content-security-policy"];
  expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; /);
  expect(policy).not.toMatch(/unsafe|data:|https?:/);
  expect(headers["cross-origin-opener-policy"]).toBe("same-origin");
});

it("lets browsers keep assets, and answers 404 for one that is missing", async () => {
  const { text, headers } = await get("/console/assets/page-1a2b.js").set("Accept-Encoding", "gzip").buffer();
  expect(text).toBe(SCRIPT);
  expect(headers["cache-control"]).toBe("public, max-age=31536000, immutable");
  expect(headers["content-encoding"]).toBe("gzip");
  expect((await get("/console/assets/page-0000.js")).status).toBe(404);
});

it("answers 304 to a browser that has the page, and serves nothing outside of its folder", async () => {
  const { headers } = await get("/console/");
  expect((await get("/console/").set("If-None-Match", String(headers.etag))).status).toBe(304);
  const file = `..%2f${basename(outside)}`;
  for (const path of [`/console/${file}`, `/console/assets/..%2f${file}`, `/console/assets/%2e%2e/${file}`])
    expect((await get(path)).text).not.toContain("outside");
});

it("changes nothing by another method", async () => {
  expect((await supertest(api.app).post("/console/")).status).toBe(404);
});
