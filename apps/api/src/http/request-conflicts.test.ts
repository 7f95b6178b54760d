import { randomUUID } from "node:crypto";
import {
  openRequest,
  type RequestType,
  type ResourceType,
  requestTypeDefinition,
  requestTypes,
} from "@gantry/requests";
import {
  createDatabaseServer,
  createEnvironment,
  createFirewall,
  createNetwork,
  createServer,
  createSubnet,
  createVolume,
} from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";
import { expect, it } from "@jest/globals";
import type { HttpError } from "./errors.js";
import { assertRemovable } from "./request-conflicts.js";

const { db, owner, provider } = await startApiTest();
const { accountId } = owner;
const types = Object.keys(requestTypes) as RequestType[];
type Resource = { type: ResourceType; id: string | number };

/** One record of each type that has others below it, in one network. */
async function estate() {
  const network = await createNetwork(db, provider);
  const subnet = await createSubnet(db, network);
  const environment = await createEnvironment(db, provider, { networkId: network.id });
  const server = await createServer(db, environment, { subnetId: subnet.id });
  const volume = await createVolume(db, provider, { serverId: server.id });
  const firewall = await createFirewall(db, environment);
  const traffic = { source: "192.0.2.0/24", portRange: "22", protocol: "tcp" };
  const rule = await db.firewallRule.create({ data: { accountId, firewallId: firewall.id, ...traffic } });
  const database = await createDatabaseServer(db, provider);
  return {
    provider: provider.id,
    network: network.id,
    subnet: subnet.id,
    environment: environment.id,
    server: server.id,
    volume: volume.id,
    firewall: firewall.id,
    firewall_rule: rule.id,
    database_service: database.databaseServiceId,
    database_server: database.id,
  } satisfies Partial<Record<ResourceType, string | number>>;
}

const records = await estate();
type Present = keyof typeof records;
const onServer: Present[] = ["volume"];
const onEnvironment: Present[] = ["server", ...onServer, "firewall", "firewall_rule"];
const onDatabase: Present[] = ["database_server"];

/** The records that stop to make sense without another one. */
const below: Record<Present, Present[]> = {
  provider: ["network", "subnet", "environment", ...onEnvironment, "database_service", ...onDatabase],
  network: ["subnet", "environment", ...onEnvironment],
  subnet: ["server", ...onServer],
  environment: onEnvironment,
  server: onServer,
  volume: [],
  firewall: ["firewall_rule"],
  firewall_rule: [],
  database_service: onDatabase,
  database_server: [],
};

async function blockingOf(type: RequestType, resource: Resource) {
  try {
    await assertRemovable(db, type, { accountId, resource });
    return [];
  } catch (error) {
    expect(error).toMatchObject({ status: 409 });
    return (error as HttpError).extras.blocking;
  }
}

/** The Requests in the way of a removal while another Request is unfinished. */
async function whileUnfinished(
  other: { type: RequestType; resource: Resource; input: object },
  removal: () => unknown,
) {
  const traceId = randomUUID().replaceAll("-", "");
  const { id } = await openRequest(db, { ...other, input: other.input as never, accountId, traceId });
  const found = await removal();
  await db.request.update({ where: { id }, data: { finishedAt: new Date() } });
  return { found, id: `requests/${id}` };
}

const removals = types.flatMap((type) => {
  const { removesRecord, removesToo = [] } = requestTypeDefinition(type);
  return removesRecord ? [{ type, removesRecord, removesToo }] : [];
});

it("declares every record that the input of a Request refers to", () => {
  const undeclared = types.flatMap((type) => {
    const { input, uses = {} } = requestTypeDefinition(type);
    const references = Object.keys(input.shape).filter(
      (field) => /Ids?$/.test(field) && !/^(cloud|provider)Id$/.test(field),
    );
    return references.filter((field) => !uses[field]).map((field) => `${type}.${field}`);
  });
  expect(undeclared).toEqual([]);
});

const usePairs = removals.flatMap(({ type, removesRecord }) =>
  types.flatMap((other) =>
    Object.entries(requestTypeDefinition(other).uses ?? {}).flatMap(([field, used]) =>
      used === removesRecord && used in records ? [{ type, other, field, used: used as Present }] : [],
    ),
  ),
);

it.each(usePairs)("refuses $type while $other uses its record", async ({ type, other, field, used }) => {
  const id = records[used];
  const input = { [field]: field.endsWith("s") ? [id] : id };
  const resource = { type: "address", id: 2_000_000_000 } as const;
  const { found, id: request } = await whileUnfinished({ type: other, resource, input }, () =>
    blockingOf(type, { type: used, id }),
  );
  expect(found).toEqual([request]);
  expect(await blockingOf(type, { type: used, id })).toEqual([]);
});

const recordPairs = removals.flatMap((removal) =>
  (Object.keys(records) as Present[]).flatMap((on) => (removal.removesRecord in records ? [{ ...removal, on }] : [])),
);

it.each(recordPairs)(
  "$type while a Request on a $on is unfinished",
  async ({ type, removesRecord, removesToo, on }) => {
    const removed = removesRecord as Present;
    const resource = { type: removed, id: records[removed] };
    const other = { type: "update_tags" as const, resource: { type: on, id: records[on] }, input: { records: [] } };
    const { found, id } = await whileUnfinished(other, () => blockingOf(type, resource));
    // The children of the removal queue behind Requests on the records that they remove.
    const isOrdered = (removesToo as readonly ResourceType[]).includes(on);
    expect(found).toEqual(below[removed].includes(on) && !isOrdered ? [id] : []);
  },
);

it.each(removals.filter((each) => each.removesRecord in records))(
  "refuses a second $type, and one that would follow a Request which adds records",
  async (removal) => {
    const resource = { type: removal.removesRecord, id: records[removal.removesRecord as Present] };
    const adding = types.filter(
      (type) => type === removal.type || (requestTypeDefinition(type).addsDependents && resource.type === "network"),
    );
    for (const type of adding) {
      const { found, id } = await whileUnfinished({ type, resource, input: {} }, () =>
        blockingOf(removal.type, resource),
      );
      expect([type, found]).toEqual([type, [id]]);
    }
  },
);
