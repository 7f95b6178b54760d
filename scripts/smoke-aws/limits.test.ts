import { LimitReached, Limits } from "./limits.js";

const plan = (monthly_usd: number, more: object = {}) => ({
  estimate: { monthly_usd, is_complete: true, note: "", prices_as_of: "2026-01-01", ...more },
});
const HOUR = 3_600_000;
let now = 0;
const limits = (minutes: number, dollars: number) => {
  now = 0;
  return new Limits({ minutes, dollars }, () => now);
};

it("counts ten minutes of each resource at least, and no more after its removal", () => {
  const run = limits(600, 100);
  const { end } = run.start("/servers", plan(730));
  expect(run.dollars()).toBeCloseTo(1 / 6);
  now = 2 * HOUR;
  expect(run.dollars()).toBeCloseTo(2);
  end();
  now = 5 * HOUR;
  expect(run.dollars()).toBeCloseTo(2);
});

it("counts a group at its maximum", () => {
  const run = limits(600, 100);
  run.start("/auto_scaling_groups", plan(730, { max_monthly_usd: 1460 }));
  now = HOUR;
  expect(run.dollars()).toBeCloseTo(2);
});

it("ends the run at its limit of time, of money, and when interrupted", () => {
  const timed = limits(60, 100);
  timed.assert();
  now = HOUR;
  expect(() => timed.assert()).toThrow("the limit of 60 minutes is reached");
  const paid = limits(600, 1);
  paid.start("/servers", plan(730));
  paid.assert();
  now = HOUR;
  expect(() => paid.assert()).toThrow("the limit of $1 is reached");
  const interrupted = limits(600, 100);
  interrupted.interrupt("the run was interrupted");
  expect(() => interrupted.assert()).toThrow(LimitReached);
});

it("creates nothing whose minimum cost exceeds the remaining budget", () => {
  expect(() => limits(60, 0.1).start("/database-services", plan(730))).toThrow("more than the $0.10 that remain");
});

it("warns about a missing price", () => {
  const note = "Gantry has no price for x9.huge.";
  expect(limits(60, 1).start("/servers", plan(1, { is_complete: false, note })).warning).toBe(note);
  const estimate_note = "Gantry has no prices for eu-west-1";
  expect(limits(60, 1).start("/servers", { estimate: null, estimate_note }).warning).toBe(estimate_note);
  expect(limits(60, 1).start("/servers", plan(1)).warning).toBeUndefined();
});
