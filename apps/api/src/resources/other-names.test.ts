import { startApiTest } from "@gantry/test/support/api-test";
import { fillAccount } from "@gantry/test/support/fixtures";
import { openApi } from "../app.js";
import { endpoints } from "./index.js";

const { api, owner } = await startApiTest();
const fixtures = await fillAccount(api, owner, 1);

interface Described {
  operationId: string;
  summary: string;
  deprecated?: boolean;
  "x-gantry-alias-of"?: string;
  requestBody?: { content: { "application/json": { schema: { $ref: string } } } };
  responses: object;
}

interface Document {
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, object> };
}

const named = endpoints.map(({ method, path, alsoAs, operation }) => ({ method, path, alsoAs, operation }));

it("mounts aliases of an action as endpoints with their own operations", () => {
  const operations = named.flatMap(({ operation }) => operation ?? []);
  expect(new Set(operations).size).toBe(operations.length);
  expect(operations).toEqual(expect.arrayContaining(["startServerByPut", "saveEnvironmentBlueprint"]));
});

it("marks all operations but one that do the same, and names that one", () => {
  const { paths, components } = openApi() as Document;
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const actOf = ({ summary, requestBody, responses }: Described) => {
    const body = requestBody?.content["application/json"].schema.$ref.split("/").at(-1);
    return JSON.stringify([summary, body && components.schemas[body], responses]);
  };
  const unmarked = operations.filter((operation) => !operation.deprecated);
  const acts = Map.groupBy(unmarked, actOf);
  expect([...acts.values()].flatMap((same) => same.slice(1).map(({ operationId }) => operationId))).toEqual([]);
  const aliases = operations.filter((operation) => operation["x-gantry-alias-of"]);
  expect(aliases.length).toBeGreaterThan(0);
  for (const alias of aliases) {
    const main = operations.find(({ operationId }) => operationId === alias["x-gantry-alias-of"]);
    expect([alias.operationId, alias.deprecated, main && actOf(main)]).toEqual([alias.operationId, true, actOf(alias)]);
    expect(main).not.toHaveProperty("x-gantry-alias-of");
  }
});

it("has PATCH as the main name of a change, and hyphens as the main spelling", () => {
  const mains = endpoints.flatMap(({ route, aliasOf }) => (aliasOf ? [] : [route.replace(/:\w+/g, ":")]));
  const others = endpoints.flatMap(({ route, aliasOf }) => (aliasOf ? [route.replace(/:\w+/g, ":")] : []));
  expect(mains.filter((route) => others.includes(route.replace("PUT", "PATCH")) && /^PUT/.test(route))).toEqual([]);
  expect(mains.filter((route) => route.includes("_") && others.includes(route.replaceAll("_", "-")))).toEqual([]);
});

it("has every path of snapshots of database servers with hyphens and with underscores", () => {
  const routes = endpoints.map(({ route }) => route.replace(/:\w+/g, ":"));
  const [hyphens, underscores] = ["database-server-snapshots", "database_server_snapshots"].map((name) =>
    routes.flatMap((route) => (route.includes(name) ? [route.replace(name, "*")] : [])).sort(),
  );
  expect(hyphens).toEqual(underscores);
  expect(hyphens).toContain("GET /*/:/requests");
});

it.each([
  ["post", "put", "/servers/S/start"],
  ["post", "put", "/servers/S/stop"],
  ["post", "put", "/servers/S/reconcile"],
  ["post", "put", "/environments/E/deprovision"],
  ["post", "put", "/addresses/A/attach"],
  ["post", "put", "/addresses/A/detach"],
] as const)("answers a plan to %s and %s %s alike", async (one, other, path) => {
  const ids = { S: fixtures.servers, E: fixtures.environments, A: fixtures.addresses };
  const address = path.replace(/[SEA](?=\/)/, (letter) => String(ids[letter as keyof typeof ids]));
  const body = path.endsWith("/attach") ? { server: fixtures.servers } : undefined;
  const [first, second] = [
    await owner[one](`${address}?dry_run=true`, body),
    await owner[other](`${address}?dry_run=true`, body),
  ];
  const replyOf = ({ status, body: { trace_id: _, ...rest } }: typeof first) => [status, rest];
  expect([200, 409]).toContain(first.status);
  expect(replyOf(second)).toEqual(replyOf(first));
});

it.each([
  ["/database-server-snapshots", "/database_server_snapshots"],
  ["/database-server-snapshots/N", "/database_server_snapshots/N"],
  ["/providers/P/database_server_snapshots", "/providers/P/database-server-snapshots"],
  ["/database-services/D/snapshots", "/database-services/D/database_server_snapshots"],
  ["/database-services/D/snapshots", "/database-services/D/database-server-snapshots"],
])("lists the same records below %s and %s", async (one, other) => {
  const ids = {
    N: fixtures["database-server-snapshots"],
    P: fixtures.providers,
    D: fixtures["database-services"],
  };
  const read = async (path: string) =>
    owner.get(path.replace(/(?<=\/)[NPD](?=\/|$)/, (letter) => String(ids[letter as keyof typeof ids])));
  const [first, second] = [await read(one), await read(other)];
  expect([first.status, second.status]).toEqual([200, 200]);
  expect(JSON.stringify(first.body)).toContain("database-server");
  expect(second.body).toEqual(first.body);
});
