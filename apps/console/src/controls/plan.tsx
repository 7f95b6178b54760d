import type { Plan } from "@gantry/client";

const DOLLARS = new Intl.NumberFormat("en", { style: "currency", currency: "USD", maximumFractionDigits: 2 });

/** The costs of a plan in one phrase, for the button that carries it out; empty if it costs nothing. */
export function costText({ estimate }: Plan): string {
  if (!estimate || (estimate.monthly_usd === 0 && estimate.is_complete)) return "";
  return `, ${estimate.is_complete ? "about" : "at least"} ${DOLLARS.format(estimate.monthly_usd)} a month`;
}

/** What an act would make, change and cost. */
export function PlanText({
  plan,
  className,
  warning,
  sum,
}: { plan: Plan } & Record<"className" | "warning" | "sum", string | undefined>) {
  const { resources = [], creates, estimate, warnings = [] } = plan;
  const lines = resources.length > 0 ? resources.map(lineOf) : creates.map((kind) => [nameOf(kind), ""]);
  return (
    <div className={className}>
      {warnings.map((text) => (
        <p key={text} className={warning}>
          {text}
        </p>
      ))}
      <ul>
        {lines.map(([name, count], row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a plan may list two equal parts
          <li key={row}>
            <span>{name}</span>
            <span>{count}</span>
          </li>
        ))}
      </ul>
      {estimate && (
        <>
          <p className={sum}>{DOLLARS.format(estimate.monthly_usd)} a month</p>
          <p>
            {estimate.note}
            {!estimate.is_complete && " Some parts have no price."}
          </p>
        </>
      )}
      {plan.estimate_note && <p>{plan.estimate_note}</p>}
    </div>
  );
}

function lineOf({ kind, count, zone, region, flavor }: NonNullable<Plan["resources"]>[number]): [string, string] {
  return [[nameOf(kind), flavor, "in", zone ?? region].filter(Boolean).join(" "), `${count}`];
}

function nameOf(kind: string): string {
  return kind.replaceAll("_", " ").replace(/^nat\b/, "NAT");
}
