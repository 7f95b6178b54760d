import type { GantryEvent } from "@gantry/client";
import styles from "./event-lines.module.css";
import { RecordLink } from "./record-link.js";
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
            <RecordLink url={subject.url}>{subject.type === "request" ? nameOf(record) : undefined}</RecordLink>{" "}
            {message}
          </span>
        </li>
      ))}
    </ol>
  );
}

/** What a Request does, if its event has its record. */
function nameOf(record: GantryEvent["record"]): string | undefined {
  return typeof record?.type === "string" ? titleOf(record.type) : undefined;
}
