import { createCaller, createNetwork, createProvider, REGION, startTestApi } from "@gantry/test/support/api";

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi({ OPEN_REQUESTS_PER_ACCOUNT: "3" });
});
afterAll(() => api.close());

async function account() {
  const owner = await createCaller(api);
  const provider = await createProvider(api.db, owner.accountId);
  const body = { provider: provider.id, network: { cidr: "10.0.0.0/16", location: REGION } };
  return { owner, provider, accept: () => owner.post("/networks", body) };
}

it("refuses Requests above an account's limit until some finish, without affecting other accounts", async () => {
  const { owner, provider, accept } = await account();
  const other = await account();
  for (let i = 0; i < 3; i++) expect((await accept()).status).toBe(200);
  const refused = await accept();
  expect([refused.status, refused.body.code]).toEqual([429, "too_many_open_requests"]);
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
  const network = await createNetwork(api.db, provider);
  expect((await owner.delete(`/networks/${network.id}`)).status).toBe(429);
  expect((await other.accept()).status).toBe(200);
  await api.db.request.updateMany({ where: { accountId: owner.accountId }, data: { finishedAt: new Date() } });
  // The count is at most a second old.
  for (;;) if ((await accept()).status === 200) break;
});

it("lets only staff raise an account's limit", async () => {
  const { owner, accept } = await account();
  const path = `/accounts/${owner.accountId}`;
  const change = { account: { open_request_limit: 5 } };
  expect((await owner.put(path, change)).status).toBe(403);
  const staff = await createCaller(api, { staff: true, reason: "asked for" });
  expect((await staff.put(path, change)).status).toBe(200);
  for (let i = 0; i < 5; i++) expect((await accept()).status).toBe(200);
  expect((await accept()).status).toBe(429);
});
