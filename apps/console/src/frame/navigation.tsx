import { type AnyRoute, Link, useParams, useRouter } from "@tanstack/react-router";
import type { LucideIcon } from "lucide-react";
import styles from "./frame.module.css";

/** Where a page stands in the navigation. */
export interface Place {
  title: string;
  icon: LucideIcon;
  group?: "Infrastructure" | "Operations" | "Account";
}

/** Links to the pages of an account, by group. */
export function Navigation({ isOpen, onFollow }: { isOpen: boolean; onFollow: () => void }) {
  const { account } = useParams({ from: "/$account" });
  const { routesById } = useRouter();
  const places = Object.values(routesById as Record<string, AnyRoute>).flatMap(({ fullPath, options }) => {
    const { place } = (options.staticData ?? {}) as { place?: Place };
    return place ? [{ ...place, to: fullPath as string }] : [];
  });
  const groups = [...new Set(places.map(({ group }) => group))];
  return (
    <nav className={styles.navigation} data-open={isOpen} aria-label="Pages of the account">
      {groups.map((group) => (
        <div key={group ?? ""} className={styles.group}>
          {group && <h2>{group}</h2>}
          {places
            .filter((place) => place.group === group)
            .map(({ to, title, icon: Icon }) => (
              <Link
                key={to}
                to={to}
                params={{ account } as never}
                activeOptions={{ exact: title === "Overview", includeSearch: false }}
                onClick={onFollow}
              >
                <Icon aria-hidden />
                {title}
              </Link>
            ))}
        </div>
      ))}
      <a href="/docs">API documentation</a>
    </nav>
  );
}
