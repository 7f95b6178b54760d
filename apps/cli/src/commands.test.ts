import { bodyOf, fillPath, type Operation, paths, type Schema } from "@gantry/test/contract/document";
import { OTHERS, sampleBody } from "@gantry/test/contract/inputs";
import { createCaller, type TestCaller } from "@gantry/test/support/api";
import { type Fixtures, fillAccount } from "@gantry/test/support/fixtures";
import { bundleCommand, type TestCommand } from "@gantry/test/support/gantry-command";
import { type LiveGantry, startLiveGantry } from "@gantry/test/support/live";
import { sample } from "@gantry/test/support/sample";
import type { CommandFacts, Flag } from "./command-table.js";
import { nouns } from "./generated/nouns.js";
import { programFor } from "./program.js";

interface Known {
  noun: string;
  verb: string;
  facts: CommandFacts;
  operation: Operation;
  path: string;
  method: string;
}

const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);
const known: Known[] = [];
for (const [noun, { load }] of Object.entries(nouns)) {
  for (const [verb, facts] of Object.entries((await load()).noun)) {
    const found = operations.find(({ operation }) => operation.operationId === facts.id);
    // `gantry version` is a command of its own.
    if (found && noun !== "version") known.push({ noun, verb, facts, ...found });
  }
}

/** The values of a schema with their paths, all variants together; lists and maps count as one value. */
function leaves(schema: Schema, path = ""): string[] {
  const variants = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  const members = Object.entries(schema.properties ?? {});
  if (members.length === 0 && variants.every(({ properties, oneOf, anyOf }) => !properties && !oneOf && !anyOf))
    return [path];
  return [
    ...members.flatMap(([name, member]) => leaves(member, path ? `${path}.${name}` : name)),
    ...variants.flatMap((variant) => (variant.type === "null" ? [] : leaves(variant, path))),
  ];
}

it("has a command for every operation that is neither another name of one nor always empty", () => {
  const wanted = operations
    .filter(({ path, operation }) => !operation.deprecated && path !== "/version")
    .map(({ operation }) => operation.operationId);
  expect(known.map(({ facts }) => facts.id).sort()).toEqual(wanted.sort());
});

it("has a flag for every value of every body", () => {
  const without = known.flatMap(({ noun, verb, facts, operation }) => {
    const schema = bodyOf(operation);
    const flags = facts.flags.filter(({ at }) => at === "body").map(({ path }) => path.join("."));
    const isReached = (leaf: string) => flags.some((flag) => leaf === flag || leaf.startsWith(`${flag}.`));
    return schema
      ? [...new Set(leaves(schema))].filter((leaf) => !isReached(leaf)).map((leaf) => `${noun} ${verb} ${leaf}`)
      : [];
  });
  expect(without).toEqual([]);
});

it("gives every flag a name that no other flag of its command has", async () => {
  const { options } = await programFor([]);
  const global = options.flatMap(({ long }) => long?.replace(/^--(no-)?/, "") ?? []);
  const repeated = known.flatMap(({ noun, verb, facts }) => {
    const names = facts.flags.map(({ name }) => name).filter((name) => name !== "account");
    const taken = names.filter((name, index) => names.indexOf(name) !== index || global.includes(name));
    return taken.map((name) => `${noun} ${verb} --${name}`);
  });
  expect(repeated).toEqual([]);
});

it("explains every command with its summary and its flags", async () => {
  for (const { noun, verb, facts } of known) {
    const program = await programFor([noun, verb]);
    const ofNoun = program.commands.find((each) => each.name() === noun);
    const help = ofNoun?.commands.find((each) => each.name() === verb)?.helpInformation() ?? "";
    expect(help.replace(/\s+/g, "")).toContain(facts.summary.replace(/\s+/g, ""));
    for (const { name, isSecret } of facts.flags)
      if (name !== "account") expect(help).toContain(isSecret ? `--${name}-stdin` : `--${name}`);
  }
});

/** A reviver for JSON that leaves out the times that change from one read to the next. */
const withoutMoments = (name: string, value: unknown) =>
  name === "seen_at" || name === "last_used_at" ? undefined : value;

describe("against an account with two of everything", () => {
  let live: LiveGantry;
  let gantry: TestCommand;
  let fixtures: Fixtures;
  let staff: TestCaller;

  beforeAll(async () => {
    live = await startLiveGantry();
    fixtures = await fillAccount(live.api, live.owner, 2);
    staff = await createCaller(live.api, { staff: true });
    gantry = await bundleCommand({
      GANTRY_URL: live.url,
      GANTRY_TOKEN: live.owner.token,
      GANTRY_ACCOUNT: live.owner.accountId,
    });
  });
  afterAll(async () => {
    gantry.close();
    await live.close();
  });

  const idsOf = ({ facts, path }: Known): string[] => {
    const filled = fillPath(path, fixtures).split("/");
    return facts.ids.map(({ name }) => filled[path.split("/").indexOf(`{${name}}`)] as string);
  };
  /** The flags of the records under which a record is made or listed. */
  const parentsOf = ({ facts, path }: Known): string[] => {
    const filled = fillPath(path, fixtures).split("/");
    return facts.flags
      .filter(({ at, name }) => at === "path" && name !== "account")
      .flatMap(({ name, path: [parameter] }) => [
        `--${name}`,
        filled[path.split("/").indexOf(`{${parameter}}`)] as string,
      ]);
  };
  const callerOf = ({ noun }: Known) => (["audit", "operations", "automation"].includes(noun) ? staff : live.owner);

  const reads = known.filter(
    ({ method, facts, verb }) =>
      method === "get" && facts.answer !== "events" && facts.answer !== "text" && verb !== "callback",
  );

  it.each(sample(reads, 20, "reads of the command"))(
    "gantry $noun $verb prints the API's answer as one document",
    async (each) => {
      const env = { GANTRY_TOKEN: callerOf(each).token };
      const words = [each.noun, each.verb, ...idsOf(each), ...parentsOf(each), "--json", "--all"].filter(
        (word) => word !== "--all" || each.facts.answer.startsWith("list"),
      );
      const list = each.facts.answer.startsWith("list")
        ? `?per_page=100${each.facts.flags.some(({ name, at }) => name === "account" && at === "query") ? `&account=${live.owner.accountId}` : ""}`
        : "";
      const path = `${fillPath(each.path, { ...fixtures, accounts: live.owner.accountId })}${list}`;
      const { code, out, err } = await gantry.run(words, { env });
      const { status, body } = await callerOf(each).get(path);
      if (status !== 200) {
        expect([code, out]).toEqual([{ 403: 4, 404: 5, 409: 6, 422: 2 }[status as 404] ?? 1, ""]);
        return;
      }
      expect([code, err]).toEqual([0, ""]);
      expect(Object.keys(JSON.parse(out))).toEqual(
        expect.arrayContaining(Object.keys(body).filter((key) => key !== "trace_id")),
      );
      const [key = ""] = Object.keys(body);
      expect(JSON.parse(out, withoutMoments)[key]).toEqual(JSON.parse(JSON.stringify(body), withoutMoments)[key]);
    },
  );

  // A change of nothing is refused before it is sent.
  const plans = known.filter(({ facts, method }) => facts.canPlan && method !== "patch");

  it.each(sample(plans, 12, "plans of the command"))(
    "gantry $noun $verb --dry-run sends what the API takes",
    async (each) => {
      const schema = bodyOf(each.operation);
      const others = { ...OTHERS, email: "a@example.com" };
      const body = schema && (sampleBody(schema, { fixtures, others }) as object);
      const words = flagsFor(each.facts.flags, body);
      const { code, out, err } = await gantry.run([
        each.noun,
        each.verb,
        ...idsOf(each),
        ...parentsOf(each),
        ...words,
        "--dry-run",
        "--json",
      ]);
      const method = each.method as "post" | "put" | "patch" | "delete";
      const path = fillPath(each.path, { ...fixtures, accounts: live.owner.accountId });
      const { status, body: answer } = await live.owner[method](`${path}?dry_run=true`, body);
      const expected = { 200: 0, 400: 2, 403: 4, 404: 5, 409: 6, 422: 2 }[status as 200];
      expect([each.facts.id, words, err, code]).toEqual([each.facts.id, words, expect.any(String), expected]);
      if (status === 200) expect(JSON.parse(out).plan).toEqual(JSON.parse(JSON.stringify(answer.plan)));
      else expect(out).toBe("");
    },
  );
});

/** A body as flags; values that no flag should carry are set by their paths. */
function flagsFor(flags: readonly Flag[], body: object | undefined): string[] {
  return flags
    .filter(({ at }) => at === "body")
    .flatMap(({ name, path, type, isSecret }): string[] => {
      const value = path.reduce<unknown>((each, key) => (each as Record<string, unknown> | undefined)?.[key], body);
      if (value === undefined) return [];
      if (isSecret) return ["--set", `${path.join(".")}=${value}`];
      if (type === "boolean") return [value ? `--${name}` : `--no-${name}`];
      if (type === "json") return [`--${name}`, JSON.stringify(value)];
      if (type === "map")
        return Object.entries(value as object).flatMap(([key, text]) => [`--${name}`, `${key}=${text}`]);
      return [`--${name}`, String(value)];
    });
}
