/** The `Date` of an answer has seconds: smaller differences say nothing. */
const NOTICEABLE_MS = 5000;

let aheadMs = 0;

/** Compares this machine's clock with that of an answer of the API, which made all times that pages show. */
export function compareClock(date: string | null): void {
  const difference = date === null ? 0 : Date.parse(date) - Date.now();
  aheadMs = Math.abs(difference) < NOTICEABLE_MS ? 0 : difference;
}

/** The present by the API's clock, in milliseconds as from `Date.now`. */
export function serverNow(): number {
  return Date.now() + aheadMs;
}
