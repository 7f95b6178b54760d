import type { Request } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Curl } from "../controls/curl.js";
import { Facts, Id } from "../controls/facts.js";
import { Refusal, Skeleton } from "../controls/notice.js";
import { Heading, Panel } from "../controls/panel.js";
import panels from "../controls/panel.module.css";
import { RecordLink } from "../controls/record-link.js";
import { State } from "../controls/state.js";
import { Json, Tabs } from "../controls/tabs.js";
import { Ago, Duration } from "../controls/time.js";
import { subjectText, titleOf } from "../controls/title.js";
import { useReadWhileHidden } from "./hidden-tab.js";
import { RequestActs } from "./request.acts.js";
import { Children } from "./request.children.js";
import { Log } from "./request.log.js";
import { CloudObjects } from "./request.objects.js";
import { Reason } from "./request.reason.js";
import { Timeline } from "./request.timeline.js";
import { requestQuery } from "./requests.queries.js";
import { tabTitle } from "./tab-title.js";

export function Page() {
  const { account, request: id } = useParams({ from: "/$account/requests/$request" });
  const { data: request, error, refetch } = useQuery(requestQuery(id));
  useReadWhileHidden(id, Boolean(request?.finished_at));
  const trail = (
    <Link to="/$account/requests" params={{ account }}>
      Requests
    </Link>
  );
  if (error) return <Failed trail={trail} error={error} onRetry={() => void refetch()} />;
  if (!request) return <Skeleton />;
  return (
    <>
      <Heading title={titleOf(request.type)} tab={tabTitle(request)} trail={trail}>
        <RequestActs account={account} request={request} />
        <Curl path={`/requests/${id}`} />
      </Heading>
      <Facts facts={factsOf(account, request)} />
      <Reason account={account} request={request} />
      <div className={panels.panels}>
        <Panel title="Timeline">
          <Timeline request={request} />
        </Panel>
        <Children account={account} parent={request} />
        <Tabs
          label="Parts of the Request"
          tabs={[
            ["objects", "AWS objects", <CloudObjects key="objects" request={request} />],
            ["log", "Log", <Log key="log" request={request} />],
            ["json", "JSON", <Json key="json" value={request} />],
          ]}
        />
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

function factsOf(account: string, request: Request) {
  const { id, state, created_at, finished_at, parent, resource, trace_id: trace } = request;
  const subject = subjectText(request);
  const parentId = parent?.split("/").at(-1);
  return [
    [
      "State",
      <span key="state" role="status">
        <State state={state} />
      </span>,
    ],
    ["Subject", subject && resource ? <RecordLink key="subject" url={resource} name={subject} /> : subject || "none"],
    ["Accepted", <Ago key="accepted" at={created_at} />],
    [finished_at ? "Took" : "Runs for", <Duration key="took" from={created_at} to={finished_at} />],
    [
      "Part of",
      parentId && (
        <Link key="parent" to="/$account/requests/$request" params={{ account, request: parentId }}>
          its parent
        </Link>
      ),
    ],
    ["Id", <Id key="id" id={id} />],
    ["Trace", trace && <Id key="trace" id={trace} />],
  ] as const;
}
