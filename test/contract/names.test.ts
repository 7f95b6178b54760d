import { createCaller, createEnvironment } from "../support/api.js";
import { startApiTest } from "../support/api-test.js";
import { fillAccount } from "../support/fixtures.js";
import { accessOf, bodyOf, fillPath, paths, type Schema } from "./document.js";
import { OTHERS, sampleBody, withValue } from "./inputs.js";

const { api, db, owner, provider } = await startApiTest();
const { id: emptyEnvironment } = await createEnvironment(db, provider);
const fixtures = await fillAccount(api, owner, 2);
const staff = await createCaller(api, { staff: true, reason: "a test" });

/** Names that a reader cannot distinguish from others, or that break a line. */
const UNREADABLE: Record<string, string> = {
  "a control character": "web\u0007one",
  "an escape": "web\u001b[31m",
  "a control of the second set": "web\u0085one",
  "the end of a line inside": "web\none",
  "the end of a line behind": "web\n",
  "a separator of lines": "web\u2028one",
  "a tabulator": "web\tone",
  "a space of no width": "web\u200bone",
  "a joiner of no width": "web\u200done",
  "a mark of byte order": "\ufeffweb",
  "a soft hyphen": "web\u00adone",
  "a turn of the direction": "web\u202egnp",
  "an isolated direction": "web\u2067one",
  "a mark of direction": "web\u200f",
  "a selector of a variation": "web\ufe0f",
  "a tag": "web\u{e0041}",
  "no character but one of no width": "\u200b",
  "an invisible letter": "\u3164",
  "an empty pattern": "\u2800",
  blanks: "   ",
  "blanks that do not break": "\u00a0\u3000",
};
/** Names that servers do not have and that commands accept. */
const NOT_OF_SERVERS = ["web one", "web/one", "../web", "wéb", "🚀", "a".repeat(65), "web;one", "$(web)"];

function namesIn(schema: Schema, path = ""): string[] {
  const { properties = {}, items, anyOf = [], oneOf = [] } = schema;
  const nested = [
    ...Object.entries(properties).flatMap(([key, each]) => namesIn(each, path ? `${path}.${key}` : key)),
    ...(items ? namesIn(items, `${path}.0`) : []),
    ...[...anyOf, ...oneOf].flatMap((variant) => namesIn(variant, path)),
  ];
  return /(^|\.)(name|\w+_name)$/.test(path) && !schema.enum ? [path, ...nested] : nested;
}

const fields = Object.entries(paths).flatMap(([path, operations]) =>
  Object.entries(operations).flatMap(([method, operation]) => {
    const schema = bodyOf(operation);
    const names = new Set(schema ? namesIn(schema) : []);
    return [...names].map((field) => ({ method: method as "post", path, field, schema: schema as Schema }));
  }),
);

/** The additional parts of a boot with a list of servers. */
const CUSTOM = { type: "custom", apps: { count: 1 } };

function sendName({ method, path, field, schema }: (typeof fields)[number], name: string) {
  const isBoot = path.endsWith("/boot");
  const own = isBoot ? { ...fixtures, environments: emptyEnvironment } : fixtures;
  const others = isBoot
    ? { ...OTHERS, cluster_configuration: { configuration: CUSTOM } }
    : { ...OTHERS, email: "a@example.com" };
  const caller = accessOf(path, method).staff ? staff : owner;
  return caller[method](
    fillPath(path, own),
    withValue(sampleBody(schema, { fixtures: own, others }) as object, field, name),
  );
}

it.each(fields)("$method $path refuses an unreadable $field", async (each) => {
  const answers = Object.entries(UNREADABLE).map(async ([what, name]) => {
    const { status, body } = await sendName(each, name);
    return { what, status, paths: body.details?.map(({ path }: { path: string }) => path) };
  });
  const refused = { status: 422, paths: [each.field] };
  expect(await Promise.all(answers)).toEqual(Object.keys(UNREADABLE).map((what) => ({ what, ...refused })));
});

const ofServers = fields.filter(({ path }) => path === "/servers" || path.endsWith("/boot"));

it.each(ofServers)("$method $path refuses a $field that no server can have", async (each) => {
  const answers = await Promise.all(NOT_OF_SERVERS.map((name) => sendName(each, name)));
  expect(answers.map(({ status }) => status)).toEqual(NOT_OF_SERVERS.map(() => 422));
});

it("covers the names of servers, by themselves and in boots", () => expect(ofServers).toHaveLength(3));
