import createAccountEnvironment from "operation:createAccountEnvironment";
import type { Environment } from "@gantry/client";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { gantry } from "../api.js";
import { Tags } from "../controls/facts.js";
import { Empty } from "../controls/notice.js";
import { RecordLink } from "../controls/record-link.js";
import { RecordList } from "../controls/record-list.js";
import type { Column } from "../controls/table.js";
import table from "../controls/table.module.css";
import { Ago } from "../controls/time.js";
import { OperationButton } from "../forms/operation.button.js";

export function Page() {
  const { account } = useParams({ from: "/$account/environments" });
  const navigate = useNavigate();
  const show = (body: unknown) => {
    const { id } = (body as { environment: Environment }).environment;
    void navigate({ to: "/$account/environments/$id", params: { account, id: String(id) } });
  };
  const create = (
    <OperationButton
      account={account}
      operation={createAccountEnvironment}
      act="Create an environment"
      icon={<Plus aria-hidden />}
      isMain
      only={[
        "environment.name",
        "network",
        "environment.application_id",
        "environment.framework_env",
        "environment.encrypted_ebs_for_everything",
        "environment.snapshot_limit",
        "environment.tags",
      ]}
      labels={{
        "environment.framework_env": "Stage",
        "environment.encrypted_ebs_for_everything": "Encrypt all volumes",
        "environment.snapshot_limit": "Snapshots kept",
      }}
      onDone={show}
    >
      <p>An environment starts without servers. It costs nothing until you boot it.</p>
    </OperationButton>
  );
  return (
    <RecordList
      title="Environments"
      type="environment"
      of={[account]}
      path={`/accounts/${account}/environments`}
      list={(query, options) => gantry.accounts.environments(account, query, options)}
      columns={columns(account)}
      filters={[{ name: "q", label: "Name" }]}
      acts={create}
      empty={
        <Empty title="This account has no environment yet">
          <p>An environment is a set of servers that run an application in a network.</p>
          {create}
        </Empty>
      }
    />
  );
}

function columns(account: string): Column<Environment>[] {
  return [
    {
      title: "Name",
      cell: ({ id, name }) => (
        <Link className={table.name} to="/$account/environments/$id" params={{ account, id: String(id) }}>
          {name}
        </Link>
      ),
    },
    { title: "Region", isWhole: true, cell: ({ region }) => region },
    { title: "Network", cell: ({ network }) => <RecordLink url={network} /> },
    { title: "Stage", cell: ({ framework_env }) => framework_env },
    { title: "Tags", cell: ({ tags }) => <Tags tags={tags} /> },
    { title: "Created", isRight: true, cell: ({ created_at }) => <Ago at={created_at} /> },
  ];
}
