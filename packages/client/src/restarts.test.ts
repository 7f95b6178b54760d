import { expectWaitsToEnd } from "@gantry/test/support/api-restarts";

it("ends every wait with all events in their order, while the API is killed and restarted", async () => {
  expect((await expectWaitsToEnd(1)).losses).toBeGreaterThan(0);
});
