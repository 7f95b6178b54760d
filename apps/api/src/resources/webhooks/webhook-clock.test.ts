import { startApiTest } from "@gantry/test/support/api-test";
import { fakeDate } from "@gantry/test/support/fake-date";

const HOUR_MS = 3_600_000;
const { db, owner } = await startApiTest();

afterEach(() => {
  jest.useRealTimers();
});

it("signs with the previous secret for a day after a rotation, by the database's clock rather than the API's", async () => {
  const webhook = { url: "https://hooks.example.com" };
  const { id } = (await owner.post(`/accounts/${owner.accountId}/webhooks`, { webhook })).body.webhook;
  fakeDate(Date.now() - 240 * HOUR_MS);
  expect((await owner.post(`/webhooks/${id}/rotate-secret`)).status).toBe(200);
  jest.useRealTimers();
  const [clock] = await db.$queryRaw<[{ now: Date }]>`SELECT now()`;
  const { previousSecretUntil } = await db.webhook.findUniqueOrThrow({ where: { id } });
  // An hour is more than a busy machine takes for the calls above.
  expect(Math.abs(Number(previousSecretUntil) - Number(clock.now) - 24 * HOUR_MS)).toBeLessThan(HOUR_MS);
});
