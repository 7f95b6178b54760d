import { cancelText, isCreation } from "./cancel-text.js";

it("says that a creation is removed and that a change is taken back", () => {
  expect(cancelText("provision_network")).toMatch(/removed/);
  expect(cancelText("start_environment")).toMatch(/removed/);
  expect(cancelText("modify_server")).toMatch(/^What stood before comes back/);
  expect(cancelText("rotate_database_credentials")).toMatch(/^What stood before comes back/);
  expect(cancelText("scale_environment")).toMatch(/added/);
});

it("tells creations from changes and removals", () => {
  const types = ["provision_network", "modify_server", "deprovision_network", "scale_environment"];
  expect(types.map(isCreation)).toEqual([true, false, false, false]);
});
