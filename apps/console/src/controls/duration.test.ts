import { agoText, durationText } from "./duration.js";

const MINUTE = 60_000;

it.each([
  [0, "< 1 s"],
  [1_240, "1 s"],
  [12_900, "12 s"],
  [4 * MINUTE, "4 min"],
  [9 * MINUTE + 16_000, "9 min 16 s"],
  [26 * 60 * MINUTE, "1 d 2 h"],
])("shows %d ms as %s", (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

it.each([
  [-500, "just now"],
  [20_000, "20 s ago"],
  [3 * MINUTE + 5_000, "3 min ago"],
  [50 * 60 * MINUTE, "2 d ago"],
  [-70_000, "in 1 min"],
])("shows %d ms before now as %s", (ms, text) => {
  expect(agoText(ms)).toBe(text);
});
