import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gantry-language-"));
  mkdirSync(join(folder, "scripts"));
  copyFileSync(
    fileURLToPath(new URL("check-language.mjs", import.meta.url)),
    join(folder, "scripts/check-language.mjs"),
  );
  git("init", "-q");
  commit("begin");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function git(...words: string[]) {
  const { status, stderr } = spawnSync("git", words, { cwd: folder, encoding: "utf8" });
  expect({ status, stderr }).toMatchObject({ status: 0 });
}

function commit(subject: string) {
  git("-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", subject);
}

function check(...options: string[]) {
  const { status, stdout } = spawnSync(process.execPath, ["scripts/check-language.mjs", ...options], {
    cwd: folder,
    encoding: "utf8",
  });
  return { status, lines: stdout.split("\n").filter(Boolean) };
}

it("names the line, the phrase and what to say instead, also for a phrase on two lines", () => {
  const source = ["const a = 1;", "/**", " * Is true", " * where the row exists.", " */", "// For owners alone."];
  writeFileSync(join(folder, "a.ts"), source.join("\n"));
  writeFileSync(join(folder, "a.md"), "Readable text.\n\nThe cause, where absent, is unknown.\n");
  writeFileSync(join(folder, "a.prisma"), "/// Null where the row is new.\n");
  writeFileSync(join(folder, "a.sql"), "-- It tells of an event.\n");
  expect(check()).toEqual({
    status: 1,
    lines: [
      'a.md:3  "where absent": say if',
      'a.prisma:1  "Null where": say if',
      'a.sql:1  "tells of": say reports, shows',
      'a.ts:6  "alone": say only',
      'a.ts:3  "true where": say if',
    ],
  });
});

it("passes places, code, string literals and generated files", () => {
  const source = ["// Leave the row alone. The page where it is shown.", 'const a = "// For owners alone.";'];
  writeFileSync(
    join(folder, "a.ts"),
    [...source, "const b = /[\"'] alone./;", "// A comment `null where`."].join("\n"),
  );
  mkdirSync(join(folder, "generated"));
  writeFileSync(join(folder, "generated/a.ts"), "// For owners alone.\n");
  writeFileSync(join(folder, "a.md"), "```sql\nselect 1 where null where true\n```\n");
  expect(check()).toEqual({ status: 0, lines: [] });
});

it("reads string literals only if it is asked to", () => {
  writeFileSync(join(folder, "a.ts"), 'const a = "True where absent";\nconst b = `SET x = NULL WHERE y = 1`;\n');
  expect(check()).toEqual({ status: 0, lines: [] });
  expect(check("--literals").lines).toEqual(['a.ts:1  "where absent": say if', 'a.ts:1  "True where": say if']);
});

it("names long commit subjects without failing", () => {
  commit(`api: ${"long ".repeat(15).trim()}`);
  const { status, lines } = check();
  expect(status).toBe(0);
  expect(lines).toEqual([expect.stringMatching(/^A commit subject is over 72 characters: [0-9a-f]+ api: long /)]);
});
