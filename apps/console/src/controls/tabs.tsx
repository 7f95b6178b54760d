import { Tabs as Base } from "@base-ui/react/tabs";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Panel } from "./panel.js";
import styles from "./tabs.module.css";

export type Tab = readonly [value: string, title: string, content: ReactNode];

/** The parts of a record's page; the URL holds the one that is open. Only that one is read. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const { tab } = useSearch({ strict: false }) as { tab?: string };
  const navigate = useNavigate();
  const open = (value: string) =>
    void navigate({
      to: ".",
      search: (before: object) => ({ ...before, tab: value, cursor: undefined }),
      replace: true,
    } as never);
  const shown = tabs.find(([value]) => value === tab) ?? tabs[0];
  return (
    <Panel>
      <Base.Root value={shown?.[0]} onValueChange={open}>
        <Base.List className={styles.tabs} aria-label={label}>
          {tabs.map(([value, title]) => (
            <Base.Tab key={value} value={value} className={styles.tab}>
              {title}
            </Base.Tab>
          ))}
        </Base.List>
        {tabs.map(([value, , content]) => (
          <Base.Panel key={value} value={value}>
            {content}
          </Base.Panel>
        ))}
      </Base.Root>
    </Panel>
  );
}

export function Json({ value }: { value: unknown }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must be able to scroll it
    <pre className={styles.json} tabIndex={0}>
      {JSON.stringify(value, null, 2)}
    </pre>
  );
}
