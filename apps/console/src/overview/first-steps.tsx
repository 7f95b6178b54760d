import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Check } from "lucide-react";
import type { ReactNode } from "react";
import { gantry } from "../api.js";
import { Panel } from "../controls/panel.js";
import styles from "./overview.module.css";

/** What an account without a network needs first. */
export function FirstSteps({ account }: { account: string }) {
  const { data: counts } = useQuery({
    queryKey: ["network", "list", account, "first steps"],
    queryFn: async ({ signal }) => {
      const [providers, networks] = await Promise.all([
        gantry.accounts.providers(account, { per_page: 1 }, { signal }).page(),
        gantry.networks.list({ account: [account], per_page: 1 }, { signal }).page(),
      ]);
      return { providers: providers.items.length, networks: networks.items.length };
    },
  });
  if (!counts || counts.networks > 0) return null;
  return (
    <Panel title="First steps">
      <ol className={styles.steps}>
        <Step number={1} isDone={counts.providers > 0}>
          <a href="/docs#createAccountProvider">Add a provider</a>: an AWS account in which Gantry works. Gantry checks
          its permissions.
        </Step>
        <Step number={2} isDone={counts.providers > 0}>
          <a href="/docs#discoverProviderLocations">Discover its regions</a>, or choose one when you provision.
        </Step>
        <Step number={3} isDone={false}>
          <Link to="/$account/networks/new" params={{ account }}>
            Provision a network
          </Link>
          : you see its plan and its cost before anything is made.
        </Step>
      </ol>
    </Panel>
  );
}

function Step({ number, isDone, children }: { number: number; isDone: boolean; children: ReactNode }) {
  return (
    <li className={styles.step}>
      <span className={styles.number}>{isDone ? <Check aria-label="done" /> : number}</span>
      <span>{children}</span>
    </li>
  );
}
