import { z } from "zod";
import { endpoints } from "../../resources/index.js";
import { secretText } from "../input/input.js";
import { shownInput } from "./shown-input.js";

const SECRET = "canary-4d1f08";
const secret = secretText({ max: 100 });
const text = z.string();

interface Tree {
  secret?: string | undefined;
  children?: Tree[] | undefined;
}
const tree: z.ZodType<Tree> = z.lazy(() =>
  z.strictObject({ secret: secret.optional(), children: z.array(tree).optional() }),
);

/** Each way in which a schema may hold a secret, with an input that has the canary there. */
const FORMS: Record<string, [schema: z.ZodType, value: unknown]> = {
  itself: [secret, SECRET],
  "with checks after the mark": [secret.min(3).regex(/c/).trim(), SECRET],
  "described after the mark": [secret.describe("A password"), SECRET],
  optional: [secret.optional(), SECRET],
  nullable: [secret.nullable(), SECRET],
  nullish: [secret.nullish(), SECRET],
  "with a default": [secret.default("none"), SECRET],
  "with a default for the input": [secret.prefault("none"), SECRET],
  "with a replacement of wrong values": [secret.catch("none"), SECRET],
  "read-only": [secret.readonly(), SECRET],
  branded: [secret.brand("secret"), SECRET],
  "marked outside of its wrapper": [text.nullable().meta({ writeOnly: true }), SECRET],
  "before a transformation": [secret.transform((value) => value.length), SECRET],
  "after a transformation": [z.preprocess((value) => value, secret), SECRET],
  "at the end of a pipe": [text.pipe(secret), SECRET],
  "in a codec": [z.codec(text, secret, { decode: (value) => value, encode: (value) => value }), SECRET],
  "one of a union": [z.union([z.number(), text, secret]), SECRET],
  "in the variant of a union": [
    z.union([z.object({ value: text }), z.object({ value: secret }), z.object({ other: text })]),
    { value: SECRET },
  ],
  "in the variant of a discriminated union": [
    z.discriminatedUnion("type", [
      z.object({ type: z.literal("a"), value: secret.nullable() }),
      z.object({ type: z.literal("b"), value: text }),
    ]),
    { type: "a", value: SECRET },
  ],
  "in an intersection": [z.intersection(z.object({ a: text }), z.object({ value: secret })), { a: "a", value: SECRET }],
  "the values of a record": [z.record(text, secret.nullable()), { name: SECRET }],
  "a record that is marked": [z.record(text, text).meta({ writeOnly: true }), { name: SECRET }],
  "the items of a list": [z.array(secret.nullable()), ["a", SECRET]],
  "a list that is marked": [z.array(text).meta({ writeOnly: true }), [SECRET]],
  "an item of a tuple": [z.tuple([text, secret]), ["a", SECRET]],
  "the rest of a tuple": [z.tuple([text], secret), ["a", SECRET]],
  "an object that is marked": [z.object({ value: text }).meta({ writeOnly: true }), { value: SECRET }],
  "other keys of an object": [z.object({ a: text }).catchall(secret), { a: "a", b: SECRET }],
  "in a reference to itself": [tree, { children: [{ children: [{ secret: SECRET }] }] }],
  "a key that the schema does not have": [z.looseObject({ a: text }), { a: "a", b: SECRET }],
  "a value that the schema does not describe": [z.unknown(), SECRET],
  "an object where the schema has a text": [text, { value: SECRET }],
  "a list where the schema has a text": [text, [SECRET]],
  "a text where the schema has a list": [z.array(text), SECRET],
  "a text that is none of an enum": [z.enum(["a", "b"]), SECRET],
  "the password in a URL": [text, `https://me:${SECRET}@example.com/repository.git`],
  "the path of a URL": [z.url().max(90).nullable(), `https://example.com/${SECRET}`],
  "the path of a text that must be a URL": [text.check(z.url()), `https://example.com/${SECRET}`],
};

describe("what the audit keeps of an input", () => {
  it.each(Object.entries(FORMS))("is without a secret that is %s", (_, [schema, value]) => {
    const body = z.strictObject({ outer: z.strictObject({ seen: text, value: schema.optional() }) });
    const kept = shownInput(body, { outer: { seen: "visible", value } });
    expect(JSON.stringify(kept)).not.toContain(SECRET);
    expect(kept).toMatchObject({ outer: { seen: "visible" } });
    expect(shownInput(body, kept)).toEqual(kept);
  });

  it("is everything else, as it was sent", () => {
    const body = z.strictObject({
      text,
      number: z.number().int(),
      flag: z.boolean(),
      absent: text.nullable(),
      either: z.union([z.int(), z.literal("all")]),
      tags: z.record(text, text),
      list: z.array(z.object({ name: text.default("a") })).prefault([]),
      time: z.iso.datetime().transform((time) => new Date(time)),
      kind: z.enum(["a", "b"]).optional(),
    });
    const input = {
      text: "é\n",
      number: 3,
      flag: false,
      absent: null,
      either: "all",
      tags: { a: "1" },
      list: [{ name: "x" }, {}],
      time: "2026-11-26T00:00:00Z",
      kind: "b",
    };
    expect(shownInput(body, input)).toEqual(input);
  });

  it("is short: the beginnings of texts and lists", () => {
    const body = z.strictObject({ text, list: z.array(z.int()) });
    const kept = shownInput(body, { text: "a".repeat(1000), list: [...Array(50).keys()] });
    expect(kept).toEqual({ text: `${"a".repeat(200)}…`, list: [...Array(20).keys(), "… 30 more"] });
    expect(shownInput(body, kept)).toEqual(kept);
  });
});

/** Names that sound like secrets, with the reason why they are none. */
const NO_SECRETS: Record<string, string> = {
  access_key_id: "names the key, as a user name does",
  aws_secret_id: "another name of access_key_id",
  keep_service_tokens: "a choice",
  public_key: "public",
  service_token: "an id",
  token: "an object of a token's settings",
};

it("marks as a secret every text of a body whose name sounds like one", () => {
  const unmarked = endpoints.flatMap(({ route, body }) =>
    body
      ? unmarkedIn(z.toJSONSchema(body, { io: "input", unrepresentable: "any" }) as Json).map(
          (name) => `${route} ${name}`,
        )
      : [],
  );
  expect(unmarked).toEqual([]);
});

interface Json {
  properties?: Record<string, Json>;
  [keyword: string]: unknown;
}

function unmarkedIn(schema: Json): string[] {
  const own = Object.entries(schema.properties ?? {}).filter(
    ([name, property]) =>
      /pass|secret|token|credential|private|_key$/i.test(name) &&
      !(name in NO_SECRETS) &&
      JSON.stringify(property).includes('"type":"string"') &&
      !property.properties &&
      !JSON.stringify(property).includes('"writeOnly":true'),
  );
  const inner = Object.values(schema).flatMap((value) =>
    Object.values(typeof value === "object" && value !== null ? (value as Record<string, Json>) : {}),
  );
  const nested = inner.filter((value) => typeof value === "object" && value !== null).flatMap(unmarkedIn);
  return [...own.map(([name]) => name), ...nested];
}
