import type { Request } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Refusal } from "../controls/notice.js";
import { Panel } from "../controls/panel.js";
import { State } from "../controls/state.js";
import { Duration } from "../controls/time.js";
import { subjectText, titleOf } from "../controls/title.js";
import styles from "./request.module.css";
import { Reason } from "./request.reason.js";
import { Timeline } from "./request.timeline.js";
import { childrenQuery } from "./requests.queries.js";

/** Failed Requests first, and of these the one that ended first: others may have failed because of it. */
function causeFirst(items: readonly Request[]): Request[] {
  const failed = items.filter(({ state }) => state === "failed").reverse();
  failed.sort((one, other) => String(one.finished_at).localeCompare(String(other.finished_at)));
  return [...failed, ...items.filter(({ state }) => state !== "failed")];
}

/** The Requests that a Request started, the failed ones first; each is read when it is opened. */
export function Children({ account, parent }: { account: string; parent: Request }) {
  const { data, error } = useQuery(childrenQuery(parent.id));
  if (error) return <Refusal error={error} />;
  if (!data || data.items.length === 0) return null;
  const { items, total = items.length } = data;
  const failedFirst = causeFirst(items);
  return (
    <Panel title={`Child Requests: ${total}`}>
      <div className={styles.children}>
        {failedFirst.map((child, index) => (
          <Child key={child.id} account={account} child={child} isReason={index === 0 && child.state === "failed"} />
        ))}
        {items.length < total && <p>The newest {items.length} are shown.</p>}
      </div>
    </Panel>
  );
}

interface ChildProps {
  account: string;
  child: Request;
  /** True if the parent failed because of it; then it is open from the start. */
  isReason: boolean;
}

function Child({ account, child, isReason }: ChildProps) {
  const [isOpen, setOpen] = useState(isReason);
  return (
    <details className={styles.child} open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {titleOf(child.type)} {subjectText(child)}
        <State state={child.state} />
        <Duration from={child.created_at} to={child.finished_at} />
      </summary>
      {isOpen && (
        <div>
          <Reason account={account} request={child} label={`Reason of ${titleOf(child.type)} ${subjectText(child)}`} />
          <Timeline request={child} />
          <p>
            <Link to="/$account/requests/$request" params={{ account, request: child.id }}>
              Its own page
            </Link>
          </p>
        </div>
      )}
    </details>
  );
}
