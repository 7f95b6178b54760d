import { runCampaign } from "./campaign.js";
import { caseName } from "./test-cases.js";

it("leaves nothing after a cancel or a refusal at a sample of points, and one of everything after a retry", async () => {
  const { results } = await runCampaign({
    types: ["provision_network", "provision_default_firewall", "volume_provision", "deprovision_volume"],
    isCancelling: true,
    sample: 16,
    seed: "1",
    batchSize: 8,
    concurrency: 2,
    log: () => {},
  });
  expect(results).toHaveLength(16);
  for (const { testCase, isReached, violations } of results) {
    const point = caseName(testCase);
    expect({ point, isReached, violations }).toEqual({ point, isReached: true, violations: [] });
  }
});
