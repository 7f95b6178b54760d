import type { GantryEvent } from "@gantry/client";
import styles from "./event-lines.module.css";
import { RecordLink, recordName } from "./record-link.js";
import { Clock } from "./time.js";
import { titleOf } from "./title.js";

/** Events as lines: when, of what, and what happened. */
export function EventLines({ events, label }: { events: readonly GantryEvent[]; label: string }) {
  return (
    <ol className={styles.lines} aria-label={label}>
      {events.map(({ id, created_at, type, subject, message, record }) => (
        <li key={id}>
          <Clock at={created_at} />
          <code>{type}</code>
          <span>
            <RecordLink url={subject.url} name={nameOf(subject, record)} /> {message}
          </span>
        </li>
      ))}
    </ol>
  );
}

/** What the event of a record calls it: reading its name would take a call for each line. */
function nameOf({ type, url }: GantryEvent["subject"], record: GantryEvent["record"]): string {
  return type === "request" && typeof record?.type === "string" ? titleOf(record.type) : recordName(url);
}
