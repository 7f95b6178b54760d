import { GantryError } from "@gantry/client";
import { CircleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "./button.js";
import { Copy } from "./copy.js";
import styles from "./notice.module.css";
import { RecordLink } from "./record-link.js";

/** The sentences of an error, with what the operator needs to find it. */
export function Refusal({ error, onRetry }: { error: Error | null | undefined; onRetry?: () => void }) {
  if (!error) return null;
  const known = error instanceof GantryError ? error : undefined;
  const sentences = known?.errors ?? [error.message];
  return (
    <div className={styles.refusal} role="alert">
      <CircleAlert aria-hidden />
      <div>
        {sentences.map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
        {known && known.blocking.length > 0 && (
          <ul aria-label="In the way">
            {known.blocking.map((url) => (
              <li key={url}>
                <RecordLink url={url} />
              </li>
            ))}
          </ul>
        )}
        {known?.status === 404 && <p>The record does not exist, or belongs to another account.</p>}
        {known?.traceId && (
          <p className={styles.facts}>
            {known.code} · trace <code>{known.traceId.slice(0, 8)}…</code> <Copy text={known.traceId} what="trace id" />
          </p>
        )}
        {onRetry && <Button onClick={onRetry}>Try again</Button>}
      </div>
    </div>
  );
}

/** Stands where rows would be, when a complete answer had none. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <p className={styles.title}>{title}</p>
      {children}
    </div>
  );
}

/** Bars of the final size, which appear if the answer takes a moment. */
export function Skeleton({ rows = 6 }: { rows?: number }) {
  return (
    <div className={styles.skeleton} role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows have nothing else
        <span key={row} />
      ))}
    </div>
  );
}
