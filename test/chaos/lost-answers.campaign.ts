import { expectChangesOnce } from "../support/lost-answers.js";

it("makes each of 400 changes once, while half of the answers are lost", async () => {
  const { passed, lost } = await expectChangesOnce(160);
  console.log(`${passed} answers arrived, ${lost} were lost`);
  expect(passed).toBeGreaterThanOrEqual(400);
});
