import type { OperationField } from "./operation.js";
import { bodyOf, initialValues, labelOf, localTime, queryOf } from "./values.js";

const fields: OperationField[] = [
  { path: "provider", kind: "record", isRequired: true },
  { path: "network.cidr", kind: "text", isRequired: true },
  { path: "network.name", kind: "text", isNullable: true },
  { path: "network.size", kind: "number", default: 25 },
  { path: "network.tags", kind: "tags", isNullable: true },
  { path: "network.private_subnets", kind: "flag", default: false },
];

it("sends what is required and what was changed, each at its place", () => {
  const initial = initialValues(fields, undefined);
  const values = {
    ...initial,
    provider: "7",
    "network.cidr": " 10.0.0.0/16 ",
    "network.tags": "team = shop\n\nnote=a=b",
  };
  expect(bodyOf({ fields }, { values, initial })).toEqual({
    provider: "7",
    network: { cidr: "10.0.0.0/16", tags: { team: "shop", note: "a=b" } },
  });
});

it("begins with the values of a record, and sends null for one that was emptied", () => {
  const record = { provider: "http://127.0.0.1:3000/providers/7", cidr: "10.0.0.0/16", name: "shop", size: 30 };
  const initial = initialValues(fields, record);
  expect(initial).toMatchObject({ provider: "7", "network.name": "shop", "network.size": "30" });
  const values = { ...initial, "network.name": "", "network.size": "40" };
  expect(bodyOf({ fields }, { values, initial })).toEqual({
    provider: "7",
    network: { cidr: "10.0.0.0/16", name: null, size: 40 },
  });
});

it("finds the values of a record at the path of a field, with or without the name around it", () => {
  const paths = ["server.window.start.hour", "server.window.hours", "server.hour", "flavor"];
  const nested = paths.map((path): OperationField => ({ path, kind: "text" }));
  const record = { window: { start: { hour: "03" }, hours: 2 }, flavor: { id: "t3_medium" }, hour: "7" };
  expect(Object.values(initialValues(nested, record))).toEqual(["03", "2", "7", "t3_medium"]);
});

it("puts fixed values in place of those of the form", () => {
  const initial = initialValues(fields, undefined);
  const fixed = { provider: 3, "network.cidr": "10.1.0.0/16" };
  expect(bodyOf({ fields }, { values: initial, initial, fixed })).toEqual({
    provider: 3,
    network: { cidr: "10.1.0.0/16" },
  });
});

it("names a field as a person would", () => {
  expect(["network.private_subnets", "server.ip_id", "volume.iops"].map(labelOf)).toEqual([
    "Private subnets",
    "Address",
    "IOPS",
  ]);
});

it("sends a flag of the query only if it was changed, and never in the body", () => {
  const removal: OperationField[] = [{ path: "final_snapshot", kind: "flag", isQuery: true }];
  const initial = initialValues(removal, { final_snapshot: true });
  expect(queryOf({ fields: removal }, initial, initial)).toEqual({});
  const values = { ...initial, final_snapshot: false };
  expect(queryOf({ fields: removal }, values, initial)).toEqual({ final_snapshot: false });
  expect(bodyOf({ fields: removal }, { values, initial })).toEqual({});
});

it("sends a time of the browser's zone as UTC, and several words as a list", () => {
  const fields: OperationField[] = [
    { path: "expires_at", kind: "time" },
    { path: "scopes", kind: "list", choices: ["read", "write"] },
  ];
  const at = "2026-11-28T09:30:00.000Z";
  const values = { expires_at: localTime(new Date(at)), scopes: "read, write" };
  expect(bodyOf({ fields }, { values, initial: {} })).toEqual({ expires_at: at, scopes: ["read", "write"] });
  expect(initialValues(fields, { expires_at: at }).expires_at).toBe(values.expires_at);
});
