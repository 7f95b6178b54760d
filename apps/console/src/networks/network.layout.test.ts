import { layout, statesText } from "./network.layout.js";

const subnet = (id: string, location: string, isPrivate = false) => ({ id, location, private: isPrivate });
const server = (id: number, inside: string, role = "app") => ({
  id,
  role,
  location: "a",
  environment: "http://gantry.test/environments/1",
  subnet: `http://gantry.test/subnets/${inside}`,
});
const servers = (count: number, inside: string) => Array.from({ length: count }, (_, id) => server(id, inside));

describe("the layout of a network", () => {
  it("sorts zones by name and separates public from private subnets", () => {
    const subnets = [subnet("3", "b"), subnet("2", "a", true), subnet("1", "a")];
    const zones = layout({ subnets, servers: [server(7, "2")], databases: [{ id: "d", location: "b" }] });
    expect(zones.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(zones[0]?.isPublic.map((row) => row.subnet?.id)).toEqual(["1"]);
    expect(zones[0]?.isPrivate[0]?.entries.map(({ servers: [only] }) => only?.id)).toEqual([7]);
    expect(zones[1]?.databases).toHaveLength(1);
  });

  it("shows twelve servers of a kind one by one, and more as one entry", () => {
    const subnets = [subnet("1", "a")];
    const entries = (count: number) =>
      layout({ subnets, servers: servers(count, "1"), databases: [] })[0]?.isPublic[0]?.entries;
    expect(entries(12)).toHaveLength(12);
    expect(entries(13)?.map((entry) => entry.servers.length)).toEqual([13]);
  });

  it("keeps a server whose subnet is gone in its zone", () => {
    const [zone] = layout({ subnets: [], servers: [server(1, "9")], databases: [] });
    expect(zone?.isPublic).toEqual([{ subnet: undefined, entries: [expect.anything()], hidden: 0 }]);
  });

  it("shows no more entries than it may, and counts the others", () => {
    const subnets = [subnet("1", "a")];
    const [zone] = layout({ subnets, servers: servers(10, "1"), databases: [] }, 4);
    expect(zone?.isPublic[0]?.entries).toHaveLength(4);
    expect(zone?.isPublic[0]?.hidden).toBe(6);
  });

  it("shares what it may show among the subnets, of which a small one leaves room for the others", () => {
    const subnets = ["1", "2", "3"].map((id) => subnet(id, "a"));
    const all = [...servers(10, "1"), ...servers(1, "2"), ...servers(10, "3")];
    const [zone] = layout({ subnets, servers: all, databases: [] }, 9);
    expect(zone?.isPublic.map(({ entries, hidden }) => [entries.length, hidden])).toEqual([
      [4, 6],
      [1, 0],
      [4, 6],
    ]);
  });

  it("sums up the states of servers", () => {
    expect(statesText([{ state: "running" }, { state: "stopped" }, { state: "running" }])).toBe("2 running, 1 stopped");
  });
});
