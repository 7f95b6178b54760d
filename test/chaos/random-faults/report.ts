import { percentileOf } from "../../load/statistics.js";
import { formatCounts, type Result } from "./campaign.js";

const MAX_SHOWN = 10;
/** The goal for takeovers from killed and frozen workers: 99 in 100, and all. */
const P99_SECONDS = 30;
const MAX_SECONDS = 60;

/** True without violations. The times depend on the machine and are only printed. */
export function isPassed({ violations }: Result): boolean {
  return Object.values(violations).every((list) => list.length === 0);
}

export function formatReport({ violations, figures, logs }: Result): string {
  const { takeovers, otherTakeovers, faults, failures, endings } = figures;
  const within = (share: number) => (takeovers.length > 0 ? percentileOf(takeovers, share) : 0);
  const isInTime = within(0.99) <= P99_SECONDS && within(1) <= MAX_SECONDS;
  const seconds = (share: number) => `${within(share).toFixed(1)} s`;
  const lines = [
    `faults       ${formatCounts(faults)}`,
    `workload     ${figures.accepted} inputs accepted; ${figures.requests} Requests with their children; of clients: ${formatCounts(endings)}`,
    `retried      ${formatCounts(failures) || "nothing"}`,
    `checked      ${figures.objects} objects in AWS, ${figures.writes} writes of workers, ${figures.deliveries} deliveries of webhooks`,
    `takeovers    ${takeovers.length} from killed and frozen workers: p50 ${seconds(0.5)}, p99 ${seconds(0.99)}, max ${seconds(1)} (goal ${P99_SECONDS} and ${MAX_SECONDS} s: ${isInTime ? "met" : "missed"}); ${otherTakeovers} from others`,
    ...Object.entries(violations).flatMap(([name, list]) => [
      `${name.padEnd(12)} ${list.length}`,
      ...list.slice(0, MAX_SHOWN).map((each: string) => `  ${each}`),
    ]),
    `${figures.seconds} s`,
  ];
  if (logs) lines.push(`The logs are in ${logs}.`);
  return lines.join("\n");
}
