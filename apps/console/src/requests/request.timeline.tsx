import type { Request } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { Refusal, Skeleton } from "../controls/notice.js";
import { State } from "../controls/state.js";
import { Clock, Duration, useNow } from "../controls/time.js";
import styles from "./request.timeline.module.css";
import { requestTypesQuery, stagesQuery } from "./requests.queries.js";
import { timelineOf } from "./timeline.layout.js";

export function Timeline({ request }: { request: Request }) {
  const { data: stages, error } = useQuery(stagesQuery(request.id));
  const { data: types } = useQuery(requestTypesQuery);
  const now = useNow();
  if (error) return <Refusal error={error} />;
  if (!stages) return <Skeleton rows={3} />;
  const rows = timelineOf(request, stages, types?.get(request.type)?.stages ?? [], now);
  return (
    <ol className={styles.timeline}>
      {rows.map(({ name, state, attempts, error, from, to, bar }) => (
        <li key={name} className={styles.row}>
          <span className={styles.name}>
            {name}
            {attempts > 1 && <small>attempt {attempts}</small>}
          </span>
          <State state={state} />
          <span className={styles.line}>
            {bar && (
              <span
                className={`${styles.bar} ${styles[name === "queued" ? "queued" : state]}`}
                style={{ left: `${bar.left}%`, width: `${bar.width}%` }}
              />
            )}
          </span>
          <span className={styles.time}>{from && <Clock at={from} />}</span>
          <span className={styles.time}>{from && <Duration from={from} to={to} />}</span>
          {error && <span className={styles.error}>{error}</span>}
        </li>
      ))}
    </ol>
  );
}
