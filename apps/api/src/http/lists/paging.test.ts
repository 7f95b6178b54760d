import { randomUUID } from "node:crypto";
import { createCaller, REGION, startTestApi } from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";

const { api, owner, provider } = await startApiTest();
// Pairs share an instant, so that the id must decide.
const rows = Array.from({ length: 45 }, (_, i) => ({
  id: randomUUID(),
  accountId: owner.accountId,
  providerId: provider.id,
  location: REGION,
  cidr: "10.0.0.0/16",
  name: `n${i % 3}`,
  provisionedId: i < 2 ? null : `vpc-${i}`,
  createdAt: new Date(Date.UTC(2026, 0, 1, 0, 0, Math.floor(i / 2))),
  deletedAt: i >= 40 ? new Date() : null,
}));
await api.db.network.createMany({ data: rows });
const existing = rows.filter(({ deletedAt }) => !deletedAt);
const names = existing
  .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1))
  .map(({ id }) => id);

function linksOf(header: string): Record<string, string> {
  const links = header.split(", ").map((link) => /^<http:\/\/gantry\.test(\S+)>; rel="(\w+)"$/.exec(link) ?? []);
  return Object.fromEntries(links.map(([, path, rel]) => [rel, path]));
}

async function page(path: string): Promise<{ ids: string[]; total: string; links: Record<string, string> }> {
  const { body, headers } = await owner.get(path);
  const ids = body.networks.map(({ id }: { id: string }) => id);
  return { ids, total: headers["x-total-count"] ?? "", links: linksOf(headers.link ?? "") };
}

it("shows the newest twenty and links to every other page, and back", async () => {
  const first = await page("/networks");
  expect([first.ids, first.total, Object.keys(first.links)]).toEqual([names.slice(0, 20), "40", ["next", "last"]]);
  const second = await page(first.links.next ?? "");
  expect([second.ids, Object.keys(second.links)]).toEqual([names.slice(20), ["prev", "last"]]);
  expect((await page(second.links.prev ?? "")).ids).toEqual(first.ids);
});

it("pages forward and back without losing or repeating a row", async () => {
  const forth: string[] = [];
  let at = await page("/networks?per_page=7");
  for (;;) {
    forth.push(...at.ids);
    if (!at.links.next) break;
    at = await page(at.links.next);
  }
  expect(forth).toEqual(names);
  const back = [...at.ids];
  while (at.links.prev) {
    at = await page(at.links.prev);
    back.unshift(...at.ids);
  }
  expect(back).toEqual(names);
  expect((await page("/networks?page=6&per_page=7")).ids).toEqual(names.slice(35));
});

it("keeps the filters in its links", async () => {
  const first = await page("/networks?name[]=n0&name[]=n1&per_page=5");
  const second = await page(first.links.next ?? "");
  expect([first.total, second.total, second.ids.length]).toEqual(["27", "27", 5]);
});

it("hides deleted records unless the query includes them", async () => {
  expect((await page("/networks?deleted=true")).total).toBe("5");
  expect((await page("/networks?with_deleted=true")).total).toBe("45");
});

it("reads a bare filter as the rows without a value", async () => {
  expect((await page("/networks?provisioned_id")).total).toBe("2");
});

it("says how to write a bare filter instead of an empty time", async () => {
  const path = `/accounts/${owner.accountId}/requests?finished_at`;
  expect((await owner.get(path)).status).toBe(200);
  const { status, body } = await owner.get(`${path}=`);
  expect([status, body.errors]).toEqual([422, [expect.stringContaining('send the name without "="')]]);
});

it("finds a part of a name in any case", async () => {
  expect((await page("/networks?q=N1&deleted=true")).total).toBe(
    String(rows.filter(({ name, deletedAt }) => name === "n1" && deletedAt).length),
  );
});

async function addNewerNetworks(count: number, secondsAgo: number): Promise<void> {
  await api.db.$transaction([
    // Without triggers, which would write an event for each.
    api.db.$executeRaw`SET LOCAL session_replication_role = replica`,
    api.db.$executeRaw`
      INSERT INTO networks (id, account_id, provider_id, location, cidr, created_at)
      SELECT gen_random_uuid(), ${owner.accountId}::uuid, ${provider.id}, 'us-west-1', '10.0.0.0/16',
        now() - (${secondsAgo}::int + i) * interval '1 s'
      FROM generate_series(1, ${count}::int) AS i`,
  ]);
  await api.db.$executeRaw`ANALYZE networks`;
}

/** Follows the links to the last page and back to the first. */
async function walk(start: string): Promise<{ forth: string[]; back: string[]; pages: number }> {
  let at = await page(start);
  const forth = [...at.ids];
  let pages = 1;
  for (; at.links.next; pages++) {
    at = await page(at.links.next);
    forth.push(...at.ids);
  }
  const back = [...at.ids];
  while (at.links.prev) {
    at = await page(at.links.prev);
    back.unshift(...at.ids);
  }
  return { forth, back, pages };
}

it("counts ten thousand records exactly, estimates a greater total, and says so", async () => {
  await addNewerNetworks(10_000, 1000);
  const exact = await owner.get("/networks?location=us-west-1");
  expect([exact.headers["x-total-count"], exact.headers["x-total-count-estimated"]]).toEqual(["10000", undefined]);
  await addNewerNetworks(1000, 0);
  const { headers, body } = await owner.get("/networks?location=us-west-1");
  expect(headers["x-total-count-estimated"]).toBe("true");
  expect(Math.abs(Number(headers["x-total-count"]) - 11_000)).toBeLessThan(500);
  expect(body.networks).toHaveLength(20);
  const last = await page(linksOf(headers.link ?? "").last ?? "");
  expect(last.ids).toHaveLength(20);
});

it("estimates a total once for the pages that follow, and for its own database only", async () => {
  const [staff, other] = [await createCaller(api, { staff: true }), await startTestApi()];
  try {
    // No estimate becomes too old, however slow the machine is.
    const now = jest.spyOn(performance, "now").mockReturnValue(performance.now());
    const before = await staff.get("/networks");
    expect(before.headers["x-total-count-estimated"]).toBe("true");
    await addNewerNetworks(2000, 5000);
    expect((await staff.get("/networks")).headers["x-total-count"]).toBe(before.headers["x-total-count"]);
    const stranger = await createCaller(other, { staff: true });
    const { headers } = await stranger.get("/networks");
    expect([headers["x-total-count"], headers["x-total-count-estimated"]]).toEqual(["0", undefined]);
    now.mockRestore();
  } finally {
    await other.close();
  }
});

const old = existing.filter(({ name }) => name === "n0").map(({ id }) => id);

it("reads past thousands of records that a filter does not select, until the page is full", async () => {
  const first = await page("/networks?name=n0&per_page=5");
  expect([first.ids, first.total]).toEqual([old.slice(0, 5), String(old.length)]);
  expect((await page("/networks?name=n0&per_page=5&page=2")).ids).toEqual(old.slice(5, 10));
  expect(await walk("/networks?name=n0&per_page=5")).toEqual({ forth: old, back: old, pages: 3 });
});

it("reads past the records of every account of its caller in their common order", async () => {
  const member = await createCaller(api);
  await api.db.membership.create({
    data: { id: randomUUID(), accountId: owner.accountId, userId: member.userId, role: "viewer" },
  });
  const { id: providerId } = await api.db.provider.create({
    data: { accountId: member.accountId, type: "aws", externalId: randomUUID() },
  });
  const position = 5;
  const before = existing.find(({ id }) => id === old[position]) as (typeof rows)[number];
  const id = randomUUID();
  await api.db.network.create({
    data: {
      ...before,
      id,
      accountId: member.accountId,
      providerId,
      createdAt: new Date(before.createdAt.getTime() + 1),
    },
  });
  const { body } = await member.get("/networks?name=n0&per_page=10");
  const ids = body.networks.map((network: { id: string }) => network.id);
  expect(ids).toEqual([...old.slice(0, position), id, ...old.slice(position)].slice(0, 10));
});

it("ends a page after fifty thousand records that do not match, and links to the next page", async () => {
  await addNewerNetworks(95_000, 20_000);
  const first = await page("/networks?name=n0");
  expect(first.ids).toEqual([]);
  expect(await walk("/networks?name=n0")).toEqual({ forth: old, back: old, pages: 3 });
});

it.each(["page=0", "per_page=101", "per_page=x", "cursor=abc", "deleted=yes"])("refuses %s", async (query) => {
  expect((await owner.get(`/networks?${query}`)).status).toBe(422);
});
