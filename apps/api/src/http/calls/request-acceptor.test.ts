import { REGION } from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";
import { until } from "@gantry/test/support/until";

const { db, owner, provider } = await startApiTest({ settings: { OPEN_REQUESTS_PER_ACCOUNT: "1000000" } });

it("lets Requests that are accepted at the same moment share a transaction", async () => {
  const input = { provider: provider.id, network: { cidr: "10.0.0.0/16", location: REGION } };
  await until(async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => owner.post("/networks", input)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    return (await db.$queryRaw<object[]>`SELECT FROM requests GROUP BY xmin::text HAVING count(*) > 1`).length > 0;
  });
});
