import { expectChangesOnce } from "@gantry/test/support/lost-answers";

it("makes each of 20 changes once, while half of the answers are lost", async () => {
  expect((await expectChangesOnce(8)).passed).toBeGreaterThanOrEqual(20);
});
