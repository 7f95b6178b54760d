import type { Request } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { useLayoutEffect, useRef } from "react";
import { Empty, Refusal, Skeleton } from "../controls/notice.js";
import { Clock } from "../controls/time.js";
import styles from "./request.module.css";
import { logQuery } from "./requests.queries.js";

const NEAR_END_PX = 40;

/** Messages and events, the oldest first. It follows its end until the reader scrolls up. */
export function Log({ request }: { request: Request }) {
  const { data: lines, error } = useQuery(logQuery(request.id));
  const list = useRef<HTMLOListElement>(null);
  const isAtEnd = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new lines move the end
  useLayoutEffect(() => {
    if (isAtEnd.current) list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [lines]);
  if (error) return <Refusal error={error} />;
  if (!lines) return <Skeleton rows={4} />;
  if (lines.length === 0) return <Empty title="Nothing is on record any more" />;
  return (
    <ol
      ref={list}
      className={styles.log}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must be able to scroll it
      tabIndex={0}
      aria-label="Log"
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
      }}
    >
      {lines.map(({ id, at, stage, text }) => (
        <li key={id}>
          <Clock at={at} />
          <span className={styles.stage}>{stage}</span>
          <span>{text}</span>
        </li>
      ))}
    </ol>
  );
}
