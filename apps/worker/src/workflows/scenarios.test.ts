import { requestTypes } from "@gantry/requests";
import { expect, it } from "@jest/globals";
import { scenarios } from "./all.scenarios.js";

it("has a scenario for the crash sweep of every request type", () => {
  expect(Object.keys(scenarios).sort()).toEqual(Object.keys(requestTypes).sort());
});
