import { createCaller } from "../support/api.js";
import { startApiTest } from "../support/api-test.js";
import { fillAccount } from "../support/fixtures.js";
import { bodyOf, fillPath, paths } from "./document.js";
import { OTHERS, sampleBody } from "./inputs.js";

const { api, db, owner } = await startApiTest();

it.each(Object.entries(paths).filter(([path, { put }]) => put && path.endsWith("}")))(
  "PATCH %s is what PUT is",
  (_path, { put, patch }) => {
    const [names, same] = [{ operationId: "", description: "" }, "Same as PUT"];
    expect(patch).toMatchObject({ description: expect.stringContaining(same) });
    expect({ ...patch, ...names }).toEqual({ ...put, ...names });
  },
);

const fixtures = await fillAccount(api, owner, 2);
describe("PATCH", () => {
  const patched = Object.entries(paths).flatMap(([path, { put, patch }]) => (put && patch ? [{ path, put }] : []));
  const stamps = /"(trace_id|updated_at)":"[^"]*"/g;

  it.each(patched)("$path answers as PUT does", async ({ path, put }) => {
    const { userId } = await createCaller(api, { accountId: owner.accountId, role: "member" });
    const { id: memberships } = await db.membership.findFirstOrThrow({ where: { userId } });
    const own = { ...fixtures, memberships };
    const plansOnly = put.parameters?.some(({ name }) => name === "dry_run") ? "?dry_run=true" : "";
    const address = `${fillPath(path, own)}${plansOnly}`;
    const body = sampleBody(bodyOf(put) ?? {}, { fixtures: own, others: OTHERS }) as object;
    const [first, second] = [await owner.put(address, body), await owner.patch(address, body)];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.text.replace(stamps, "")).toEqual(first.text.replace(stamps, ""));
  });
});

describe("a record", () => {
  it("links only to URLs that answer its owner with 200", async () => {
    const seen = new Set<string>(["/accounts"]);
    const dead: string[] = [];
    for (const path of seen) {
      const { status, text } = await owner.get(path);
      if (status !== 200) dead.push(`${status} ${path}`);
      for (const [, next] of text.matchAll(/"http:\/\/gantry\.test(\/[^"]+)"/g)) seen.add(next ?? "");
    }
    expect(dead).toEqual([]);
    expect(seen.size).toBeGreaterThan(40);
  });

  it("lists the specified compute flavors and engine versions", async () => {
    const flavors = (await owner.get(`/providers/${fixtures.providers}/flavors/compute`)).body.flavors;
    expect(flavors).toHaveLength(18);
    expect(flavors[0]).toMatchObject({ id: "m3_medium", api_name: "m3.medium", name: "m3_medium", architecture: 64 });
    const optimized = flavors.filter((flavor: { volume_optimized: boolean }) => flavor.volume_optimized);
    expect(optimized.map(({ id }: { id: string }) => id)).toEqual([
      "c4_large",
      "c4_xlarge",
      "m4_large",
      "m4_xlarge",
      "r4_large",
      "r4_xlarge",
    ]);
    const { versions } = (await owner.get(`/providers/${fixtures.providers}/database-server/versions`)).body;
    expect(versions.aurora).toEqual(["5.6.10a"]);
    expect([versions.mysql.length, versions.postgres.length]).toEqual([9, 9]);
    expect((await owner.get("/providers/aws/locations")).body.locations).toHaveLength(14);
  });
});

describe("the document", () => {
  const operations = Object.values(paths).flatMap((each) => Object.values(each));

  it("names every operation once, describes it and each of its parameters, and gives examples", () => {
    const names = operations.map(({ operationId }) => operationId);
    expect(names.filter((name, i) => !name || names.indexOf(name) !== i)).toEqual([]);
    const parameters = operations.flatMap(({ operationId, parameters = [] }) =>
      parameters.map((parameter) => ({ operationId, ...parameter })),
    );
    const lacking = parameters.filter(({ description, example }) => !description || example === undefined);
    expect(lacking.map(({ operationId, name }) => `${operationId} ${name}`)).toEqual([]);
    expect(operations.filter(({ description }) => !description)).toEqual([]);
  });
});
