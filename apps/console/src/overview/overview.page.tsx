import type { AccountSummary } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { EventLines } from "../controls/event-lines.js";
import { Empty, Refusal, Skeleton } from "../controls/notice.js";
import { Heading, Panel } from "../controls/panel.js";
import { countText, summaryQuery, sumOf } from "../controls/summary.js";
import { useEvents } from "../live/events.js";
import { Attention } from "./attention.js";
import { FirstSteps } from "./first-steps.js";
import styles from "./overview.module.css";
import { Running } from "./running.js";

const EVENTS = 8;

export function Page() {
  const { account } = useParams({ from: "/$account/" });
  const { data: summary, error, refetch } = useQuery({ ...summaryQuery(account), refetchOnMount: "always" });
  const { events } = useEvents(account, {});
  const open = summary ? sumOf(summary.open_requests) : undefined;
  return (
    <>
      <Heading title="Overview" />
      {error && <Refusal error={error} onRetry={() => void refetch()} />}
      <div className={styles.panels}>
        {summary && <FirstSteps account={account} summary={summary} />}
        {summary ? <Attention account={account} summary={summary} /> : !error && <Skeleton rows={3} />}
        <div className={styles.columns}>
          <div className={styles.panels}>
            <Running account={account} title={open?.count ? `Running now: ${countText(open)}` : "Running now"} />
            <Panel title="Latest events">
              {events.length === 0 ? (
                <Empty title="No event yet: new ones appear by themselves" />
              ) : (
                <EventLines events={events.slice(0, EVENTS)} label="Latest events" />
              )}
            </Panel>
          </div>
          {summary && (
            <div className={styles.panels}>
              <Limits account={account} summary={summary} />
              <Estimate summary={summary} />
            </div>
          )}
        </div>
      </div>
    </>
  );
}

function Limits({ account, summary: { limits } }: { account: string; summary: AccountSummary }) {
  return (
    <Panel title="In use">
      {limits.length === 0 && <Empty title="No server and no address yet" />}
      {limits.map(({ provider, region, servers, addresses }) => (
        <dl key={provider + region} className={styles.limits}>
          <dt>
            <Link to="/$account/providers/$id" params={{ account, id: provider.split("/").at(-1) ?? "" }}>
              {region}
            </Link>
          </dt>
          <dd>servers {usageText(servers)}</dd>
          <dd>addresses {usageText(addresses)}</dd>
        </dl>
      ))}
    </Panel>
  );
}

function usageText({ used, limit }: { used: number; limit: number | null }): string {
  return limit === null ? String(used) : `${used} of ${limit}`;
}

function Estimate({ summary: { monthly_cost } }: { summary: AccountSummary }) {
  const { monthly_usd, is_complete, without_price } = monthly_cost;
  const dollars = monthly_usd.toLocaleString("en", { style: "currency", currency: "USD", maximumFractionDigits: 0 });
  return (
    <Panel title="Estimate">
      <div className={styles.estimate}>
        <p>
          <strong>{dollars}</strong> a month
        </p>
        <p className={styles.message}>
          By list prices, without traffic and snapshots.
          {!is_complete && ` Without a price: ${without_price.join(", ")}.`}
        </p>
      </div>
    </Panel>
  );
}
