import { requestTypes } from "@gantry/requests";
import { expect, it } from "@jest/globals";
import { scenarios } from "./all.scenarios.js";

it("has a crash test scenario for every request type", () => {
  expect(Object.keys(scenarios).sort()).toEqual(Object.keys(requestTypes).sort());
});
