import type { Plan, PlannedResource } from "@gantry/client";
import stringWidth from "string-width";
import { pad } from "./table.js";

/** A plan as lines: what would be created and removed, and what it costs a month. */
export function planLines({ requests, creates, removes, resources = [], estimate, estimate_note }: Plan): string[] {
  const prices = estimate?.lines ?? [];
  const rows = [
    ...resources.map((resource) => [
      "+",
      `${resource.count} ${resource.kind.replaceAll("_", " ")}`,
      detailsOf(resource),
    ]),
    ...(resources.length === 0 ? creates.map((kind) => ["+", kind.replaceAll("_", " "), ""]) : []),
    ...removes.map((kind) => ["-", kind.replaceAll("_", " "), ""]),
  ];
  return [
    `Plan: ${requests.map((type) => type.replaceAll("_", " ")).join(", ") || "nothing to do"} (nothing was changed)`,
    ...aligned(rows),
    ...(prices.length > 0 ? ["", ...aligned(prices.map(({ what, monthly_usd }) => [what, dollars(monthly_usd)]))] : []),
    ...(estimate
      ? [
          `Estimate ${dollars(estimate.monthly_usd)} a month in ${estimate.region}, list prices of ${estimate.prices_as_of}${
            estimate.max_monthly_usd && estimate.max_monthly_usd > estimate.monthly_usd
              ? `, at most ${dollars(estimate.max_monthly_usd)}`
              : ""
          }${estimate.is_complete ? "" : "; not everything has a price"}. ${estimate.note}`,
        ]
      : estimate_note
        ? [estimate_note]
        : []),
  ];
}

function detailsOf({
  flavor,
  engine,
  version,
  zone,
  region,
  max_count,
  volumes = [],
  multi_az,
}: PlannedResource): string {
  const disks = volumes.map(({ type, size_gb }) => `${size_gb} GB ${type}`);
  const more = [max_count && `up to ${max_count}`, multi_az && "multi-AZ"];
  return [flavor, engine && `${engine} ${version ?? ""}`.trim(), zone ?? region, ...disks, ...more]
    .filter(Boolean)
    .join("  ");
}

function dollars(amount: number | null): string {
  return amount === null ? "no price" : `$${amount.toFixed(2)}`;
}

function aligned(rows: readonly string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => stringWidth(row[index] ?? ""))));
  return rows.map((row) => `  ${row.map((cell, index) => pad(cell, widths[index] ?? 0)).join("  ")}`.trimEnd());
}
