import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "@jest/globals";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (file: string) => readFileSync(join(root, file), "utf8");
const json = (file: string) => JSON.parse(read(file)) as { version?: string; scripts?: Record<string, string> };

const pages = ["", "docs", "docs/adr", "examples"].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name)),
);

it("has no link in the docs that leads nowhere", () => {
  const dead = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)]
      .map(([, target = ""]) => relative(root, join(root, dirname(page), target)))
      .filter((target) => !existsSync(join(root, target)))
      .map((target) => `${page}: ${target}`),
  );
  expect(dead).toEqual([]);
});

it("has every command that the docs name", () => {
  const scripts = Object.keys(json("package.json").scripts ?? {});
  const named = pages.flatMap((page) =>
    [...read(page).matchAll(/(?:^|`)npm (?:run )?([a-z]+(?::[a-z]+)?)/gm)].map(([, name]) => name),
  );
  const commands = new Set(named.filter((name) => !["install", "pkg"].includes(name ?? "")));
  expect(commands.size).toBeGreaterThan(10);
  expect([...commands].filter((name) => !scripts.includes(name ?? ""))).toEqual([]);
});

it("lists every decision in the table of decisions, under its own title", () => {
  const table = read("docs/adr/README.md");
  const listed = [...table.matchAll(/\| \[(\d{4}\. [^\]]+)\]\((\d{4}-[a-z0-9-]+\.md)\)/g)].map(([, title, file]) => ({
    title,
    file,
  }));
  const decisions = readdirSync(join(root, "docs/adr"))
    .filter((name) => name !== "README.md")
    .map((file) => ({ title: /^# (.+)$/m.exec(read(`docs/adr/${file}`))?.[1], file }));
  expect(listed).toEqual(decisions);
});

it("has a glossary of at most thirty words", () => {
  const words = read("docs/glossary.md").match(/^\| (?!word |-)/gm) ?? [];
  expect(words.length).toBeGreaterThan(0);
  expect(words.length).toBeLessThanOrEqual(30);
});

it("has one version for every package", () => {
  const folders = ["apps", "packages"].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => join(folder, name)),
  );
  const versions = folders.map((folder) => json(join(folder, "package.json")).version);
  expect(new Set([json("package.json").version, ...versions]).size).toBe(1);
});
