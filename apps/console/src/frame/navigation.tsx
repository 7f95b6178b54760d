import type { AccountSummary, Count } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { type AnyRoute, Link, useLocation, useParams, useRouter } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { countText, summaryQuery } from "../controls/summary.js";
import { sessionQuery } from "../session/session.js";
import styles from "./frame.module.css";
import { PLACE_ICONS } from "./place-icons.js";

/** Where a page stands in the navigation. */
export interface Place {
  title: string;
  icon: keyof typeof PLACE_ICONS;
  group?: Group;
  /** What is shown beside the title, if it is not 0. */
  count?: (summary: AccountSummary) => Count;
  /** True for a page that only members of the staff see. */
  isStaff?: boolean;
}

const GROUPS = [undefined, "Infrastructure", "Operations", "Account", "Installation"] as const;
type Group = NonNullable<(typeof GROUPS)[number]>;

/** The pages that a person finds in the navigation. */
export function usePlaces(): readonly (Place & { to: string })[] {
  const { routesById } = useRouter();
  const { data } = useQuery(sessionQuery);
  return Object.values(routesById as Record<string, AnyRoute>).flatMap(({ fullPath, options }) => {
    const { place } = (options.staticData ?? {}) as { place?: Place };
    return place && (!place.isStaff || data?.session?.user.staff) ? [{ ...place, to: fullPath as string }] : [];
  });
}

/** Links to the pages of an account, by group. */
export function Navigation({ isOpen, onFollow }: { isOpen: boolean; onFollow: () => void }) {
  const { account } = useParams({ from: "/$account" });
  const places = usePlaces();
  const { data: summary } = useQuery(summaryQuery(account));
  const list = useRef<HTMLElement>(null);
  const path = useLocation({ select: ({ pathname }) => pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each page may be out of view in the list
  useEffect(() => {
    // Its promise must not be taken for the end of the effect.
    void list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [path]);
  const groups = GROUPS.filter((group) => places.some((place) => place.group === group));
  return (
    <nav ref={list} className={styles.navigation} data-open={isOpen} aria-label="Pages of the account">
      {groups.map((group) => (
        <div key={group ?? ""} className={styles.group}>
          {group && <h2>{group}</h2>}
          {places
            .filter((place) => place.group === group)
            .map(({ to, title, icon, count }) => {
              const Icon = PLACE_ICONS[icon];
              return (
                <Link
                  key={to}
                  to={to}
                  params={{ account } as never}
                  activeOptions={{ exact: EXACT.has(title), includeSearch: false }}
                  onClick={onFollow}
                >
                  <Icon aria-hidden />
                  {title}
                  <Badge count={summary && count?.(summary)} />
                </Link>
              );
            })}
        </div>
      ))}
      <a href="/docs">API documentation</a>
    </nav>
  );
}

/** Pages whose paths others begin with. */
const EXACT = new Set(["Overview", "Queues and workers"]);

function Badge({ count }: { count: Count | undefined }) {
  return count?.count ? <span className={styles.badge}>{countText(count)}</span> : null;
}
