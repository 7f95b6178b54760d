import type { ReactNode } from "react";
import { Copy } from "./copy.js";
import styles from "./facts.module.css";

/** What a record is, as terms and values; a value that is empty is left out. */
export function Facts({ facts }: { facts: readonly (readonly [term: string, value: ReactNode])[] }) {
  return (
    <dl className={styles.facts}>
      {facts.map(
        ([term, value]) =>
          value !== null &&
          value !== false &&
          value !== undefined &&
          value !== "" && (
            <div key={term}>
              <dt>{term}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** A longer id may break where a line ends, such as the address of a database. */
const SHORT_ID = 24;

/** An id that can be copied; a dash without one. */
export function Id({ id }: { id: string | number | null | undefined }) {
  if (id === null || id === undefined) return "–";
  return (
    <span className={styles.id}>
      <code className={String(id).length <= SHORT_ID ? styles.whole : undefined}>{id}</code>{" "}
      <Copy text={String(id)} what={`id ${id}`} />
    </span>
  );
}

/** The tags of a record. */
export function Tags({ tags }: { tags: Record<string, string> }) {
  const entries = Object.entries(tags);
  if (entries.length === 0) return "–";
  return (
    <span className={styles.tags}>
      {entries.map(([key, value]) => (
        <code key={key}>
          {key}={value}
        </code>
      ))}
    </span>
  );
}
