import type { AccountSummary, Count, Counts } from "@gantry/client";
import { queryOptions } from "@tanstack/react-query";
import { gantry } from "../api.js";
import { SUMMARY_KEY } from "../keys.js";

/** What needs attention in an account. Events read it again, at most every five seconds. */
export const summaryQuery = (account: string) =>
  queryOptions({
    queryKey: [SUMMARY_KEY, account],
    queryFn: ({ signal }): Promise<AccountSummary> => gantry.accounts.summary(account, { signal }),
  });

/** The sum of counts by state, severity or type. */
export function sumOf(counts: Counts): Count {
  const each = Object.values(counts);
  return { count: each.reduce((sum, { count }) => sum + count, 0), is_more: each.some(({ is_more }) => is_more) };
}

/** A count as it is shown, such as `10,000+`. */
export function countText({ count, is_more }: Count): string {
  return `${count.toLocaleString("en")}${is_more ? "+" : ""}`;
}

/** A number and its noun, such as `2 objects`. */
export function countOf(count: Count, noun: string): string {
  return `${countText(count)} ${noun}${count.count === 1 ? "" : "s"}`;
}
