import type { Plan } from "@gantry/client";
import { durationText } from "./duration.js";
import styles from "./plan.module.css";

const DOLLARS = new Intl.NumberFormat("en", { style: "currency", currency: "USD", maximumFractionDigits: 2 });

export function dollars(amount: number): string {
  return DOLLARS.format(amount);
}

/** The costs of a plan in one phrase, for the button that carries it out; empty if it costs nothing. */
export function costText({ estimate }: Plan): string {
  if (!estimate || (estimate.monthly_usd === 0 && estimate.is_complete)) return "";
  return `, ${estimate.is_complete ? "about" : "at least"} ${dollars(estimate.monthly_usd)} a month`;
}

/** What an act would make, change, remove and cost. */
export function PlanText({ plan }: { plan: Plan }) {
  const { resources = [], creates, removes, removes_records = [], changes = [], estimate, warnings = [] } = plan;
  const made = resources.length > 0 ? resources.map(lineOf) : creates.map((kind) => [nameOf(kind), ""]);
  const removed =
    removes_records.length > 0
      ? removes_records.map(({ type, name, id, provisioned_id }) => [
          `${nameOf(type)} ${name ?? provisioned_id ?? id}`,
          (name && provisioned_id) ?? "",
        ])
      : removes.map((kind) => [nameOf(kind), ""]);
  return (
    <section className={styles.plan} aria-label="Plan">
      {warnings.map((text) => (
        <p key={text} className={styles.warning}>
          {text}
        </p>
      ))}
      <Lines title="Makes in AWS" lines={made} />
      {changes.length > 0 && <Changes changes={changes} />}
      <Lines title="Removes" lines={removed} />
      {made.length + removed.length + changes.length === 0 && <p>Nothing in AWS is made, changed or removed.</p>}
      {estimate && (
        <div>
          <p className={styles.sum}>{dollars(estimate.monthly_usd)} a month</p>
          {estimate.monthly_usd_change !== undefined && (
            <p>
              {estimate.monthly_usd_change < 0 ? "−" : "+"}
              {dollars(Math.abs(estimate.monthly_usd_change))} compared to now
            </p>
          )}
          <p className={styles.muted}>
            {estimate.note}
            {!estimate.is_complete && " Some parts have no price."}
          </p>
        </div>
      )}
      {plan.estimate_note && <p className={styles.muted}>{plan.estimate_note}</p>}
    </section>
  );
}

function Lines({ title, lines }: { title: string; lines: (string | undefined)[][] }) {
  if (lines.length === 0) return null;
  return (
    <div>
      <p className={styles.heading}>{title}</p>
      <ul>
        {lines.map(([name, count], row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a plan may list two equal parts
          <li key={row}>
            <span>{name}</span>
            <span>{count}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Changes({ changes }: { changes: NonNullable<Plan["changes"]> }) {
  return (
    <div>
      <p className={styles.heading}>Changes</p>
      <ul>
        {changes.map(({ field, from, to, effect, away_seconds: away, undo }) => (
          <li key={field} className={styles.change}>
            <span>
              {nameOf(field)}: {shown(from)} → <strong>{shown(to)}</strong>
            </span>
            <span>
              {effect}
              {away && ` Away for ${durationText(away.least * 1000)} to ${durationText(away.most * 1000)}.`}
            </span>
            <span className={styles.muted}>To undo: {undo}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function shown(value: string | number | boolean | null): string {
  return value === null ? "none" : String(value);
}

function lineOf({ kind, role, count, zone, region, flavor }: NonNullable<Plan["resources"]>[number]): string[] {
  return [[role && nameOf(role), nameOf(kind), flavor, "in", zone ?? region].filter(Boolean).join(" "), `${count}`];
}

function nameOf(kind: string): string {
  return kind.replaceAll("_", " ").replace(/^nat\b/, "NAT");
}
