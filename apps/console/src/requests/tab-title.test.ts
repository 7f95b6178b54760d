import { tabTitle } from "./tab-title.js";

it.each([
  ["finished", "✓ finished · Provision network"],
  ["failed", "✕ failed · Provision network"],
  ["rolling_back", "… rolling back · Provision network"],
] as const)("says that a Request is %s before what it is", (state, title) => {
  expect(tabTitle({ state, type: "provision_network" })).toBe(title);
});
