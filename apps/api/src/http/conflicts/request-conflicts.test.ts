import { randomUUID } from "node:crypto";
import { createRequest } from "@gantry/requests";
import {
  collectionOf,
  type RequestType,
  type ResourceType,
  requestTypeDefinition,
  requestTypes,
} from "@gantry/resources";
import { createEnvironment, createFirewall, createNetwork, createProvider } from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";
import { fillAccount } from "@gantry/test/support/fixtures";
import type { HttpError } from "../errors/errors.js";
import { assertNotBeingRemoved, assertRemovable } from "./request-conflicts.js";

const { api, db, owner, provider } = await startApiTest();
const { accountId } = owner;
const fixtures = await fillAccount(api, owner, 1);
const types = Object.keys(requestTypes) as RequestType[];
type Resource = { type: ResourceType; id: string | number };
type Present = Exclude<ResourceType, "account" | "provider_location" | "drift">;

const onServer: Present[] = ["volume"];
const onFirewall: Present[] = ["firewall_rule"];
const onEnvironment: Present[] = ["server", ...onServer, "firewall", ...onFirewall, "auto_scaling_group"];
const onDatabaseServer: Present[] = ["database_server_snapshot"];
const onDatabase: Present[] = ["database_server", ...onDatabaseServer];
const onNetwork: Present[] = ["subnet", "environment", ...onEnvironment, "database_service", ...onDatabase];

/** The records that stop to make sense without another one. */
const below: Record<Present, Present[]> = {
  provider: ["network", ...onNetwork, "iam_role", "address", "snapshot"],
  network: onNetwork,
  subnet: ["server", ...onServer],
  iam_role: ["server", ...onServer],
  environment: onEnvironment,
  server: onServer,
  volume: [],
  address: [],
  snapshot: [],
  firewall: onFirewall,
  firewall_rule: [],
  auto_scaling_group: [],
  database_service: onDatabase,
  database_server: onDatabaseServer,
  database_server_snapshot: [],
};
const present = Object.keys(below) as Present[];
const recordOf = (type: Present): Resource => ({ type, id: fixtures[collectionOf(type)] ?? "" });
const elsewhere = { type: "address", id: 2_000_000_000 } as const;

async function blockingOf(ask: Promise<void>) {
  try {
    await ask;
    return [];
  } catch (error) {
    expect(error).toMatchObject({ status: 409 });
    return (error as HttpError).extras.blocking;
  }
}

const removalBlockedBy = (type: RequestType, resource: Resource) =>
  blockingOf(assertRemovable(db, type, { accountId, resource }));
const changeBlockedBy = (type: RequestType, resource: Resource, input: object = {}) =>
  blockingOf(assertNotBeingRemoved(db, type, { resource, input }));

/** What `ask` finds while a Request is unfinished. */
async function whileUnfinished<T>(
  { input = {}, ...other }: { type: RequestType; resource: Resource; input?: object },
  ask: () => Promise<T>,
) {
  const traceId = randomUUID().replaceAll("-", "");
  const { id } = await createRequest(db, { ...other, input: input as never, accountId, traceId });
  const found = await ask();
  await db.request.update({ where: { id }, data: { finishedAt: new Date() } });
  return { found, id: `requests/${id}` };
}

/** The input of a Request that uses a record. */
function inputWith(field: string, { id }: Resource): object {
  return { [field]: field.endsWith("s") ? [id] : id };
}

const removals = types.flatMap((type) => {
  const { removesRecord, removesToo = [] } = requestTypeDefinition(type);
  return removesRecord ? [{ type, removed: removesRecord as Present, removesToo }] : [];
});
const uses = types.flatMap((type) =>
  Object.entries(requestTypeDefinition(type).uses ?? {}).map(([field, used]) => ({
    type,
    field,
    used: used as Present,
  })),
);

it("declares every record that the input of a Request refers to", () => {
  const undeclared = types.flatMap((type) => {
    const { input, uses = {} } = requestTypeDefinition(type);
    // No Request removes a blueprint, and one that was removed can be read.
    const references = Object.keys(input.shape).filter(
      (field) => /Ids?$/.test(field) && !/^(cloud|provider|blueprint)Id$/.test(field),
    );
    return references.filter((field) => !uses[field]).map((field) => `${type}.${field}`);
  });
  expect(undeclared).toEqual([]);
});

const usePairs = removals.flatMap((removal) =>
  uses.filter(({ used }) => used === removal.removed).map((use) => ({ ...use, type: removal.type, other: use.type })),
);

it.each(usePairs)("refuses $type while $other uses its record", async ({ type, other, field, used }) => {
  const record = recordOf(used);
  const using = { type: other, resource: elsewhere, input: inputWith(field, record) };
  const { found, id } = await whileUnfinished(using, () => removalBlockedBy(type, record));
  expect(found).toEqual([id]);
  expect(await removalBlockedBy(type, record)).toEqual([]);
});

const recordPairs = removals.flatMap((removal) => present.map((on) => ({ ...removal, on })));

it.each(recordPairs)("$type while a Request on a $on is unfinished", async ({ type, removed, removesToo, on }) => {
  const other = { type: "update_tags", resource: recordOf(on), input: { records: [] } } as const;
  const { found, id } = await whileUnfinished(other, () => removalBlockedBy(type, recordOf(removed)));
  // The children of the removal queue behind Requests on the records that they remove.
  const isOrdered = (removesToo as readonly ResourceType[]).includes(on);
  expect(found).toEqual(below[removed].includes(on) && !isOrdered ? [id] : []);
});

it.each(removals)("refuses a second $type, and one that would follow a Request which adds records", async (removal) => {
  const resource = recordOf(removal.removed);
  const adding = types.filter(
    (type) => type === removal.type || (requestTypeDefinition(type).addsDependents && resource.type === "network"),
  );
  for (const type of adding) {
    const { found, id } = await whileUnfinished({ type, resource }, () => removalBlockedBy(removal.type, resource));
    expect([type, found]).toEqual([type, [id]]);
  }
});

// The removal of an environment's servers leaves the environment.
const underWay = [
  ...removals.map(({ type, removed }) => ({ type, on: removed, isGone: [removed, ...below[removed]] })),
  { type: "deprovision_environment" as const, on: "environment" as const, isGone: onEnvironment },
];

it("knows every Request that removes records", () =>
  expect(underWay.map(({ type }) => type)).toEqual(
    expect.arrayContaining(types.filter((type) => requestTypeDefinition(type).removesToo)),
  ));

it.each(underWay)(
  "refuses every Request except removals on what $type removes, and no other Request",
  async (removal) => {
    const { found, id } = await whileUnfinished({ type: removal.type, resource: recordOf(removal.on) }, async () => {
      const found = [];
      for (const on of present) {
        const asking = removal.isGone.includes(on) ? types : (["update_tags"] as const);
        for (const type of asking) found.push({ on, type, blocking: await changeBlockedBy(type, recordOf(on)) });
      }
      return found;
    });
    // A removal waits its turn, and finds gone what it would remove.
    const isRefused = (on: Present, type: RequestType) =>
      removal.isGone.includes(on) && requestTypeDefinition(type).removesRecord === undefined;
    expect(found).toEqual(found.map(({ on, type }) => ({ on, type, blocking: isRefused(on, type) ? [id] : [] })));
  },
);

it.each(underWay)("refuses every Request whose input uses what $type removes, and no other", async (removal) => {
  const changing = uses.filter(({ type }) => requestTypeDefinition(type).removesRecord === undefined);
  const { found, id } = await whileUnfinished({ type: removal.type, resource: recordOf(removal.on) }, async () => {
    const found = [];
    for (const { type, field, used } of changing)
      found.push({ type, used, blocking: await changeBlockedBy(type, elsewhere, inputWith(field, recordOf(used))) });
    return found;
  });
  expect(found).toEqual(
    found.map(({ type, used }) => ({ type, used, blocking: removal.isGone.includes(used) ? [id] : [] })),
  );
});

/** Expects of two calls at once that one is accepted, and the other one refused because of it. */
async function expectOneWinner(calls: PromiseLike<{ status: number; body: { blocking?: string[] } }>[]) {
  const answers = await Promise.all(calls);
  const refused = answers.filter(({ status }) => status === 409);
  expect(answers.map(({ status }) => status).sort()).toEqual([expect.any(Number), 409]);
  expect(refused.map(({ body }) => body.blocking)).toEqual([[expect.stringMatching(/\/(requests|environments)\//)]]);
}
const ROUNDS = 12;

it("never accepts a rule of a firewall that is being removed, nor the removal of a firewall that gets a rule", async () => {
  for (let i = 0; i < ROUNDS; i++) {
    const environment = await createEnvironment(db, provider);
    const firewall = await createFirewall(db, environment);
    const rule = { source: "192.0.2.0/24", port_range: "22" };
    await expectOneWinner([
      owner.post(`/firewalls/${firewall.id}/rules`, { firewall_rule: rule }),
      owner.post(`/environments/${environment.id}/deprovision`),
    ]);
  }
});

it.each([
  ["network", () => createNetwork(db, provider)],
  ["provider", () => createProvider(db, accountId)],
] as const)(
  "never accepts an environment in a %s that is being removed, nor its removal while an environment is added",
  async (type, create) => {
    for (let i = 0; i < ROUNDS; i++) {
      const { id } = await create();
      const input = { [type]: id, environment: { name: `in ${type} ${id}` } };
      await expectOneWinner([
        owner.post(`/accounts/${accountId}/environments`, input),
        owner.delete(`/${type}s/${id}`),
      ]);
    }
  },
);
