import createAccountApplication from "operation:createAccountApplication";
import type { Application } from "@gantry/client";
import { Link, useParams } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { gantry } from "../api.js";
import { Empty } from "../controls/notice.js";
import { RecordList } from "../controls/record-list.js";
import type { Column } from "../controls/table.js";
import table from "../controls/table.module.css";
import { Ago } from "../controls/time.js";
import { OperationButton } from "../forms/operation.button.js";

export function Page() {
  const { account } = useParams({ from: "/$account/applications" });
  const create = (
    <OperationButton
      account={account}
      operation={createAccountApplication}
      act="Create an application"
      icon={<Plus aria-hidden />}
      isMain
    />
  );
  return (
    <RecordList
      title="Applications"
      type="application"
      of={[account]}
      path={`/accounts/${account}/applications`}
      list={(query, options) => gantry.accounts.applications(account, query, options)}
      columns={columns(account)}
      filters={[{ name: "q", label: "Name" }]}
      acts={create}
      empty={
        <Empty title="This account has no application yet">
          <p>An application names a repository, which an environment runs, and the keys for it.</p>
          {create}
        </Empty>
      }
    />
  );
}

function columns(account: string): Column<Application>[] {
  return [
    {
      title: "Name",
      cell: ({ id, name }) => (
        <Link className={table.name} to="/$account/applications/$id" params={{ account, id: String(id) }}>
          {name}
        </Link>
      ),
    },
    { title: "Type", cell: ({ type }) => type },
    { title: "Repository", cell: ({ repository }) => <code>{repository}</code> },
    { title: "Created", isRight: true, cell: ({ created_at }) => <Ago at={created_at} /> },
  ];
}
