import { expect, it } from "@jest/globals";
import { REQUEST_TYPE_NAMES } from "./request-types.js";

it("names every request type once, carried out or reserved", () => {
  expect(REQUEST_TYPE_NAMES.filter((name, i) => REQUEST_TYPE_NAMES.indexOf(name) !== i)).toEqual([]);
});
