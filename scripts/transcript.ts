// Draws docs/gantry.svg, an animated picture of the command at work: runs it in a terminal against a Gantry of its own, and
// keeps what the terminal shows.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import xterm from "@xterm/headless";
import { startLocalGantry } from "./local-gantry.js";

const COLUMNS = 96;
const ROWS = 26;
const FRAME_MS = 120;
/** How long the end of a command stays, and the last picture. */
const READ_MS = 1500;
const END_MS = 6000;
const CHARACTER = { width: 8.4, height: 18 };

/** What must be there, and is not shown. */
const BEFORE = [
  "providers create --type aws --name main",
  "applications create --name shop --type rack --repository git@example.com:shop.git",
];
const SHOWN = [
  "networks create --name shop --cidr 10.0.0.0/16 --location us-east-1",
  "environments create --name staging --application-id shop --region us-east-1 --network shop -q",
  "environments boot staging --type cluster --dry-run",
  "environments boot staging --type cluster",
  "servers list",
];

interface Frame {
  at: number;
  lines: string[];
}

const root = join(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "gantry-transcript-"));
const gantry = await startLocalGantry({ name: "transcript", ephemeral: true, catalogue: "today", report: () => {} });
try {
  await run("node", [join(root, "apps/cli/build.mjs"), join(folder, "dist")]);
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: folder,
    TERM: "xterm-256color",
    GANTRY_URL: gantry.baseUrl,
    GANTRY_TOKEN: gantry.token,
  };
  const command = join(folder, "dist/gantry.js");
  writeFileSync(join(folder, "package.json"), '{"type": "module"}');
  for (const text of BEFORE) await run("node", [command, ...text.split(" ")], env);
  const frames = await record(command, env);
  writeFileSync(join(root, "docs/gantry.svg"), drawing(frames));
} finally {
  await gantry.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit();

async function run(program: string, words: string[], env?: Record<string, string>): Promise<void> {
  const child = spawn(program === "node" ? process.execPath : program, words, {
    env: env ?? process.env,
    stdio: "ignore",
  });
  const [code] = (await once(child, "exit")) as [number];
  if (code !== 0) throw new Error(`${words.join(" ")} ended with ${code}`);
}

/** Runs the commands one after the other, and returns each different picture with its time. */
async function record(command: string, env: Record<string, string>): Promise<Frame[]> {
  const terminal = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true, convertEol: true });
  const write = (text: string) => new Promise<void>((resolve) => terminal.write(text, resolve));
  const frames: Frame[] = [];
  let at = 0;
  const keep = () => {
    const { active } = terminal.buffer;
    const lines = Array.from(
      { length: ROWS },
      (_, row) => active.getLine(active.viewportY + row)?.translateToString(true) ?? "",
    );
    if (lines.join("\n") !== frames.at(-1)?.lines.join("\n")) frames.push({ at, lines });
  };
  for (const text of SHOWN) {
    await write(`$ gantry ${text}\n`);
    keep();
    at += 600;
    const words = [join(root, "test/support/terminal.py"), String(COLUMNS), String(ROWS), process.execPath, command];
    const child = spawn("python3", [...words, ...text.split(" ")], { env, stdio: ["pipe", "pipe", "inherit"] });
    const start = Date.now();
    const began = at;
    const timer = setInterval(() => {
      at = began + Date.now() - start;
      keep();
    }, FRAME_MS);
    for await (const chunk of child.stdout) await write(String(chunk));
    clearInterval(timer);
    at = began + Date.now() - start;
    keep();
    at += READ_MS;
    await write("\n");
  }
  keep();
  return frames;
}

/** A picture of which each frame is seen in its time. */
function drawing(frames: Frame[]): string {
  const end = (frames.at(-1)?.at ?? 0) + END_MS;
  const percent = (at: number) => ((at / end) * 100).toFixed(2);
  const [width, height] = [COLUMNS * CHARACTER.width + 24, ROWS * CHARACTER.height + 24];
  const styles = frames.map(({ at }, index) => {
    const until = frames[index + 1]?.at ?? end;
    const hidden = at === 0 ? "" : `0%{visibility:hidden}`;
    return `@keyframes f${index}{${hidden}${percent(at)}%{visibility:visible}${until === end ? "" : `${percent(until)}%{visibility:hidden}`}}#f${index}{animation:f${index} ${end / 1000}s step-end infinite}`;
  });
  const groups = frames.map(({ lines }, index) => {
    const texts = lines.flatMap((line, row) =>
      line ? [`<text x="12" y="${(row + 1) * CHARACTER.height + 6}">${escaped(line)}</text>`] : [],
    );
    return `<g id="f${index}" visibility="hidden">${texts.join("")}</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="gantry makes a network and an environment">`,
    `<style>text{font:14px ui-monospace,Menlo,Consolas,monospace;fill:#e6edf3;white-space:pre}${styles.join("")}</style>`,
    `<rect width="100%" height="100%" rx="8" fill="#0d1117"/>`,
    ...groups,
    "</svg>\n",
  ].join("\n");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
