import { expectWaitsToEnd } from "../support/api-restarts.js";

it("ends 40 waits with all events in their order, while the API is killed and restarted 20 times", async () => {
  const { losses } = await expectWaitsToEnd(20);
  console.log(`the waits lost the API ${losses} times`);
  expect(losses).toBeGreaterThanOrEqual(20);
});
