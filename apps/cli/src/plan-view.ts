import type { Plan, PlannedChange, PlannedResource } from "@gantry/client";
import stringWidth from "string-width";
import { pad } from "./table.js";

/** A plan as lines: what would be created and removed, and what it costs a month. */
export function planLines(plan: Plan): string[] {
  const { requests, creates, removes, removes_records: records, resources = [], changes = [] } = plan;
  const { warnings = [], estimate, estimate_note } = plan;
  const prices = estimate?.lines ?? [];
  const rows = [
    ...resources.map((resource) => [
      "+",
      `${resource.count} ${resource.kind.replaceAll("_", " ")}`,
      detailsOf(resource),
    ]),
    ...(resources.length === 0 ? creates.map((kind) => ["+", kind.replaceAll("_", " "), ""]) : []),
    ...(records
      ? records.map(({ type, id, name, provisioned_id: inAws }) => [
          "-",
          `${type.replaceAll("_", " ")} ${id}`,
          [name, inAws].filter(Boolean).join("  "),
        ])
      : removes.map((kind) => ["-", kind.replaceAll("_", " "), ""])),
  ];
  const kinds = removes.map((kind) => kind.replaceAll("_", " ")).join(", ");
  return [
    `Plan: ${requests.map((type) => type.replaceAll("_", " ")).join(", ") || "nothing to do"} (nothing was changed)`,
    ...warnings.map((warning) => `  !  It would fail: ${warning}`),
    ...aligned(rows),
    ...(records && kinds ? [`AWS objects of these kinds that belong to them are removed too: ${kinds}.`] : []),
    ...changes.flatMap(changeLines),
    ...(prices.length > 0 ? ["", ...aligned(prices.map(({ what, monthly_usd }) => [what, dollars(monthly_usd)]))] : []),
    ...(estimate
      ? [
          `Estimate ${dollars(estimate.monthly_usd)} a month${differenceOf(estimate)} in ${estimate.region}, list prices of ${estimate.prices_as_of}${
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

/** What changes, what happens meanwhile, and how it is taken back. */
function changeLines({ field, from, to, effect, away_seconds: away, undo }: PlannedChange): string[] {
  const time = away ? ` Usually away for ${away.least} to ${away.most} seconds.` : "";
  return [
    `  ~  ${field.replaceAll("_", " ")} ${from ?? "default"} → ${to ?? "default"}`,
    `     ${effect}${time}`,
    `     Back: ${undo}`,
  ];
}

function differenceOf({ monthly_usd_change: change }: { monthly_usd_change?: number | undefined }): string {
  return change === undefined ? "" : ` (${change < 0 ? "-" : "+"}${dollars(Math.abs(change))})`;
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
