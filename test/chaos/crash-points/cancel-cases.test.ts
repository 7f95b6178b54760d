import { expect, it } from "@jest/globals";
import { campaign } from "./campaign.js";
import { nameOf } from "./test-cases.js";

it("leaves nothing when cancelled or refused at any of some points, and one of everything when retried", async () => {
  const { outcomes } = await campaign({
    types: ["provision_network", "provision_default_firewall", "volume_provision", "deprovision_volume"],
    isUndoing: true,
    sample: 16,
    seed: "1",
    together: 8,
    lanes: 2,
    say: () => {},
  });
  expect(outcomes).toHaveLength(16);
  for (const { play, isReached, wrong } of outcomes) {
    expect({ point: nameOf(play), isReached, wrong }).toEqual({ point: nameOf(play), isReached: true, wrong: [] });
  }
});
