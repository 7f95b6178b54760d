const OTHERS = [
  "hrtime",
  "nextTick",
  "performance",
  "queueMicrotask",
  "setImmediate",
  "clearImmediate",
  "setInterval",
  "clearInterval",
  "setTimeout",
  "clearTimeout",
] as const;

/** Stops the clock that `Date` reads, at `now` in milliseconds, until `jest.useRealTimers()`. Timers and the clock of `performance` go on. */
export function fakeDate(now = Date.now()): void {
  jest.useFakeTimers({ now, doNotFake: [...OTHERS] });
}
