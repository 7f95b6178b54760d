import { randomUUID } from "node:crypto";
import {
  cloudObjectsOf,
  type RequestType,
  requestTypeDefinition,
  requestTypes,
  resourceTypes,
} from "@gantry/resources";
import { kinds } from "./aws/kinds.js";
import { taggedKinds } from "./aws/tagged-objects.js";
import { ownershipQueries } from "./drift/ownership.js";

const unknown = (names: readonly string[]) => names.filter((name) => !kinds.has(name));

it("represents by each resource only kinds of cloud objects that exist", () => {
  const named = resourceTypes.flatMap((type) => cloudObjectsOf(type).flatMap(({ kinds }) => kinds));
  expect([named.length > 10, unknown(named)]).toEqual([true, []]);
});

it("plans for each request type only kinds of cloud objects that exist", () => {
  const named = (Object.keys(requestTypes) as RequestType[]).flatMap((type) => {
    const { creates = [], removes = [] } = requestTypeDefinition(type);
    return [...creates, ...removes];
  });
  expect([named.length > 10, unknown(named)]).toEqual([true, []]);
});

it("searches the owner of each tagged kind in the ledger, the records and the Requests", () => {
  for (const { kind } of taggedKinds)
    expect(Object.keys(ownershipQueries(kind, randomUUID(), 0))).toEqual(["ledger", "record", "request"]);
});
