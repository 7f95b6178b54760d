import { expect, it } from "@jest/globals";
import { NotificationRate } from "./notification-rate.js";

it("counts the excess of one account alone, and reduces it with time", () => {
  const rate = new NotificationRate();
  const flood = Array.from({ length: 2000 }, () => rate.excess("flooder", 0));
  expect(flood.filter((excess) => excess === 0)).toHaveLength(10);
  expect(flood.slice(10)).toEqual(Array.from({ length: 1990 }, (_, i) => i + 1));
  expect(rate.excess("other", 0)).toBe(0);
  expect(rate.excess("flooder", 100_000)).toBe(1491);
  expect(rate.excess("flooder", 1_000_000)).toBe(0);
});
