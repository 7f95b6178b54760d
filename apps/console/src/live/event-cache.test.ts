import type { GantryEvent, Page } from "@gantry/client";
import { changesOf, withChanges } from "./event-cache.js";

const URL = "http://127.0.0.1:3000/requests";

const event = (type: GantryEvent["type"], id: string, record: object | null = {}, more: object = {}): GantryEvent =>
  ({
    id: "1-1",
    type,
    created_at: "2026-11-28T09:00:00.000+00:00",
    account: "http://127.0.0.1:3000/accounts/a",
    subject: { type: "request", id, url: `${URL}/${id}` },
    request: `${URL}/${id}`,
    message: null,
    record: record && { id, ...record },
    ...more,
  }) as GantryEvent;

const page = (...items: { id: string; state: string }[]): Page<{ id: string; state: string }> => ({
  items,
  total: items.length,
  isTotalEstimated: false,
  next: undefined,
  body: {},
});

it("replaces a record in a page and on its own by that of its last event", () => {
  const { records } = changesOf([
    event("request.started", "a", { state: "running" }),
    event("request.finished", "a", { state: "finished" }),
  ]);
  const before = page({ id: "a", state: "pending" }, { id: "b", state: "pending" });
  const after = withChanges(before, "request", records);
  expect(after.items).toEqual([
    { id: "a", state: "finished" },
    { id: "b", state: "pending" },
  ]);
  expect(after.items[1]).toBe(before.items[1]);
  expect(withChanges({ id: "a", state: "pending" }, "request", records)).toEqual({ id: "a", state: "finished" });
  expect(withChanges(before.items, "request", records)).toEqual(after.items);
});

it("leaves an answer as it is if none of its records has changed, or a record of another type has its id", () => {
  const { records } = changesOf([event("request.finished", "a", { state: "finished" })]);
  const other = page({ id: "b", state: "pending" });
  expect(withChanges(other, "request", records)).toBe(other);
  expect(withChanges(other.items, "request", records)).toBe(other.items);
  const network = { id: "a", cidr: "10.0.0.0/16" };
  expect(withChanges(network, "network", records)).toBe(network);
  expect(withChanges(undefined, "request", records)).toBeUndefined();
});

it("keeps what an event without a record does not show", () => {
  const { records } = changesOf([event("request.message", "a", null)]);
  expect(records.size).toBe(0);
});

it("names the Requests whose parts have changed: that of the event, and its parent", () => {
  const { requests } = changesOf([event("request.stage", "child", { parent: `${URL}/parent` })]);
  expect([...requests]).toEqual(["child", "parent"]);
});

it("counts new records by their type, each once", () => {
  const network = { subject: { type: "network", id: 7, url: "" }, request: null };
  const { arrivals } = changesOf([
    event("request.accepted", "a"),
    event("request.accepted", "a"),
    event("resource.created", "7", {}, network),
    event("resource.changed", "8", {}, network),
  ]);
  expect([...arrivals].map(([type, records]) => [type, [...records.keys()]])).toEqual([
    ["request", ["a"]],
    ["network", ["7"]],
  ]);
});
