import type { Request } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { gantry } from "../api.js";
import { Empty } from "../controls/notice.js";
import { RecordList } from "../controls/record-list.js";
import { REQUEST_STATES, State } from "../controls/state.js";
import type { Column } from "../controls/table.js";
import table from "../controls/table.module.css";
import { Ago, Duration } from "../controls/time.js";
import { subjectText, titleOf } from "../controls/title.js";
import { requestTypesQuery } from "./requests.queries.js";

export function Page() {
  const { account } = useParams({ from: "/$account/requests" });
  const { data: types } = useQuery(requestTypesQuery);
  return (
    <RecordList
      title="Requests"
      type="request"
      of={[account]}
      path={`/accounts/${account}/requests`}
      list={(query, options) => gantry.accounts.requests(account, query, options)}
      columns={columns(account)}
      filters={[
        { name: "q", label: "Name or type" },
        { name: "state", label: "State", choices: REQUEST_STATES.map((state) => [state, state.replace("_", " ")]) },
        { name: "type", label: "Type", choices: [...(types?.values() ?? [])].map(({ name, title }) => [name, title]) },
      ]}
      empty={
        <Empty title="No Request has been made yet">
          <Link to="/$account/networks/new" params={{ account }}>
            Provision a network
          </Link>
        </Empty>
      }
    />
  );
}

function columns(account: string): Column<Request>[] {
  return [
    {
      title: "Request",
      cell: ({ id, type }) => (
        <Link className={table.name} to="/$account/requests/$request" params={{ account, request: id }}>
          {titleOf(type)}
        </Link>
      ),
    },
    { title: "State", cell: ({ state }) => <State state={state} /> },
    { title: "Subject", cell: (request) => <span className={table.muted}>{subjectText(request)}</span> },
    {
      title: "Duration",
      isRight: true,
      cell: ({ created_at, finished_at }) => <Duration from={created_at} to={finished_at} />,
    },
    { title: "Accepted", isRight: true, cell: ({ created_at }) => <Ago at={created_at} /> },
  ];
}
