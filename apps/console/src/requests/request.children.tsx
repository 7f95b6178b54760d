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
import { Timeline } from "./request.timeline.js";
import { childrenQuery } from "./requests.queries.js";

/** The Requests that a Request started, the failed ones first; each is read when it is opened. */
export function Children({ account, parent }: { account: string; parent: Request }) {
  const { data, error } = useQuery(childrenQuery(parent.id));
  if (error) return <Refusal error={error} />;
  if (!data || data.items.length === 0) return null;
  const { items, total = items.length } = data;
  const failedFirst = [...items].sort(
    (one, other) => Number(other.state === "failed") - Number(one.state === "failed"),
  );
  return (
    <Panel title={`Child Requests: ${total}`}>
      <div className={styles.children}>
        {failedFirst.map((child) => (
          <Child key={child.id} account={account} child={child} />
        ))}
        {items.length < total && <p>The newest {items.length} are shown.</p>}
      </div>
    </Panel>
  );
}

function Child({ account, child }: { account: string; child: Request }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={styles.child} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {titleOf(child.type)} {subjectText(child)}
        <State state={child.state} />
        <Duration from={child.created_at} to={child.finished_at} />
      </summary>
      {isOpen && (
        <div>
          {child.message && <p>{child.message}</p>}
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
