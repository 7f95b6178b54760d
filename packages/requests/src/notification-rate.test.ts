import { expect, it } from "@jest/globals";
import { NotificationRate } from "./notification-rate.js";

it("counts a flood against its own account alone, the further the later, and forgives with time", () => {
  const pace = new NotificationRate();
  const flood = Array.from({ length: 2000 }, () => pace.excess("flooder", 0));
  expect(flood.filter((excess) => excess === 0)).toHaveLength(10);
  expect(flood.slice(10)).toEqual(Array.from({ length: 1990 }, (_, i) => i + 1));
  expect(pace.excess("newcomer", 0)).toBe(0);
  expect(pace.excess("flooder", 100_000)).toBe(1491);
  expect(pace.excess("flooder", 1_000_000)).toBe(0);
});
