import { Tabs } from "@base-ui/react/tabs";
import type { Request } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Copy } from "../controls/copy.js";
import { Curl } from "../controls/curl.js";
import { Refusal, Skeleton } from "../controls/notice.js";
import { Heading, Panel } from "../controls/panel.js";
import { State } from "../controls/state.js";
import { Ago, Duration } from "../controls/time.js";
import { RequestActs } from "./request.acts.js";
import { Children } from "./request.children.js";
import { Log } from "./request.log.js";
import styles from "./request.module.css";
import { CloudObjects } from "./request.objects.js";
import { Timeline } from "./request.timeline.js";
import { leaksQuery, requestQuery, requestTypesQuery } from "./requests.queries.js";
import { subjectText, titleOf } from "./title.js";

export function Page() {
  const { account, request: id } = useParams({ from: "/$account/requests/$request" });
  const { data: request, error, refetch } = useQuery(requestQuery(id));
  const trail = (
    <Link to="/$account/requests" params={{ account }}>
      Requests
    </Link>
  );
  if (error) return <Failed trail={trail} error={error} onRetry={() => void refetch()} />;
  if (!request) return <Skeleton />;
  return (
    <>
      <Heading title={titleOf(request.type)} trail={trail}>
        <RequestActs account={account} request={request} />
        <Curl path={`/requests/${id}`} />
      </Heading>
      <Facts account={account} request={request} />
      <Reason request={request} />
      <div className={styles.panels}>
        <Panel title="Timeline">
          <Timeline request={request} />
        </Panel>
        <Children account={account} parent={request} />
        <Panel>
          <Tabs.Root defaultValue="objects">
            <Tabs.List className={styles.tabs} aria-label="Parts of the Request">
              {[
                ["objects", "AWS objects"],
                ["log", "Log"],
                ["json", "JSON"],
              ].map(([value, title]) => (
                <Tabs.Tab key={value} value={value} className={styles.tab}>
                  {title}
                </Tabs.Tab>
              ))}
            </Tabs.List>
            <Tabs.Panel value="objects">
              <CloudObjects request={request} />
            </Tabs.Panel>
            <Tabs.Panel value="log">
              <Log request={request} />
            </Tabs.Panel>
            <Tabs.Panel value="json">
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must be able to scroll it */}
              <pre className={styles.json} tabIndex={0}>
                {JSON.stringify(request, null, 2)}
              </pre>
            </Tabs.Panel>
          </Tabs.Root>
        </Panel>
      </div>
    </>
  );
}

function Failed({ trail, error, onRetry }: { trail: React.ReactNode; error: Error; onRetry: () => void }) {
  return (
    <>
      <Heading title="Request" trail={trail} />
      <Refusal error={error} onRetry={onRetry} />
    </>
  );
}

function Facts({ account, request }: { account: string; request: Request }) {
  const { id, state, created_at, finished_at, parent } = request;
  const parentId = parent?.split("/").at(-1);
  return (
    <dl className={styles.facts}>
      <div>
        <dt>State</dt>
        <dd role="status">
          <State state={state} />
        </dd>
      </div>
      <div>
        <dt>Subject</dt>
        <dd>{subjectText(request) || "none"}</dd>
      </div>
      <div>
        <dt>Accepted</dt>
        <dd>
          <Ago at={created_at} />
        </dd>
      </div>
      <div>
        <dt>{finished_at ? "Took" : "Runs for"}</dt>
        <dd>
          <Duration from={created_at} to={finished_at} />
        </dd>
      </div>
      {parentId && (
        <div>
          <dt>Part of</dt>
          <dd>
            <Link to="/$account/requests/$request" params={{ account, request: parentId }}>
              its parent
            </Link>
          </dd>
        </div>
      )}
      <div>
        <dt>Id</dt>
        <dd>
          <code>{id}</code> <Copy text={id} what="id of the Request" />
        </dd>
      </div>
    </dl>
  );
}

/** Why a Request ended badly, what it left in AWS, and what to do if it cannot be retried. */
function Reason({ request }: { request: Request }) {
  const { id, state, message, finished_at } = request;
  const { data: types } = useQuery(requestTypesQuery);
  const { data: leaks } = useQuery({ ...leaksQuery(id), enabled: finished_at !== null });
  if (!finished_at || state === "finished") return null;
  const instead = types?.get(request.type)?.instead_of_retry;
  return (
    <section className={styles.reason} aria-label="Reason">
      {message && state === "failed" && <p className={styles.sentence}>{message}</p>}
      {state === "cancelled" && <p className={styles.sentence}>Cancelled by request.</p>}
      {leaks?.length === 0 && <p>Nothing is left in AWS.</p>}
      {leaks && leaks.length > 0 && (
        <p>
          Left in AWS:{" "}
          {leaks
            .map(({ kind, id: cloudId, region }) => `${kind} ${cloudId ?? "without an id"} in ${region}`)
            .join(", ")}
          . Gantry tries again to remove it.
        </p>
      )}
      {instead && <p>{instead}</p>}
    </section>
  );
}
