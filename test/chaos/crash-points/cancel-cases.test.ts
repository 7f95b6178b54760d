import { expect, it } from "@jest/globals";
import { runCampaign } from "./campaign.js";
import { caseName } from "./test-cases.js";

it("leaves nothing when cancelled or refused at any of some points, and one of everything when retried", async () => {
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
    expect({ point: caseName(testCase), isReached, wrong: violations }).toEqual({
      point: caseName(testCase),
      isReached: true,
      wrong: [],
    });
  }
}, 60_000);
