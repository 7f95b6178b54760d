import type { Provider } from "@gantry/db";
import {
  createCaller,
  createProvider,
  REGION,
  startTestApi,
  type TestApi,
  type TestCaller,
} from "@gantry/test/support/api";
import { afterAll, beforeAll, expect, it } from "@jest/globals";

let api: TestApi;
let owner: TestCaller;
let provider: Provider;

beforeAll(async () => {
  api = await startTestApi();
  owner = await createCaller(api);
  provider = await createProvider(api.db, owner.accountId);
});
afterAll(() => api.close());

it("accepts a network and shows it and its request", async () => {
  const wanted = { provider: provider.id, network: { cidr: "10.0.0.0/16", location: REGION } };
  const { status, body } = await owner.post("/networks", wanted);
  expect([status, body.request?.type, body]).toEqual([200, "provision_network", expect.anything()]);
  expect(api.rings).toEqual([{ id: body.request.id, wake: 0 }]);
  const seen = await owner.get(`/requests/${body.request.id}`);
  expect(seen.body).toEqual(body);
  const path = new URL(body.request.resource).pathname;
  expect((await owner.get(path)).body.network).toMatchObject({ cidr: "10.0.0.0/16", location: REGION });
  expect((await owner.get("/networks")).body.networks).toHaveLength(1);
});
