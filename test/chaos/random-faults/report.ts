import { percentileOf } from "../../load/statistics.js";
import { formatCounts, type Result } from "./campaign.js";

const MAX_SHOWN = 10;
/** The goal for 99 in 100 takeovers from workers that made no change in AWS when they were killed or frozen. */
const P99_SECONDS = 10;

/** True without violations. The times depend on the machine and are only printed. */
export function isPassed({ violations }: Result): boolean {
  return Object.values(violations).every((list) => list.length === 0);
}

export function formatReport({ violations, figures, logs }: Result): string {
  const { takeovers, leasesLost, faults, failures, endings } = figures;
  const within = (list: number[], share: number) => (list.length > 0 ? percentileOf(list, share) : 0);
  const times = (list: number[]) => {
    const [median, late, longest] = [0.5, 0.99, 1].map((share) => `${within(list, share).toFixed(1)} s`);
    return `${list.length}, p50 ${median}, p99 ${late}, max ${longest}`;
  };
  const isInTime = within(takeovers.idle, 0.99) <= P99_SECONDS;
  const lines = [
    `faults       ${formatCounts(faults)}`,
    `workload     ${figures.accepted} inputs accepted; ${figures.requests} Requests with their children; of clients: ${formatCounts(endings)}`,
    `retried      ${formatCounts(failures) || "nothing"}`,
    `checked      ${figures.objects} objects in AWS, ${figures.writes} writes of workers, ${figures.deliveries} deliveries of webhooks`,
    `takeovers    from killed and frozen workers that changed nothing in AWS just then: ${times(takeovers.idle)} (goal of p99 ${P99_SECONDS} s: ${isInTime ? "met" : "missed"})`,
    `             during a change: ${times(takeovers.changing)}`,
    `             after which another worker, PostgreSQL or Redis was killed too: ${times(takeovers.interrupted)}`,
    `             from living workers: ${leasesLost.whilePostgresKilled} while PostgreSQL was killed, ${leasesLost.otherwise.length} otherwise`,
    ...leasesLost.otherwise.slice(0, MAX_SHOWN).map((each) => `               ${each}`),
    ...Object.entries(violations).flatMap(([name, list]) => [
      `${name.padEnd(12)} ${list.length}`,
      ...list.slice(0, MAX_SHOWN).map((each: string) => `  ${each}`),
    ]),
    `${figures.seconds} s`,
  ];
  if (logs) lines.push(`The logs are in ${logs}.`);
  return lines.join("\n");
}
