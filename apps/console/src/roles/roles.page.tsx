import createIamRole from "operation:createIamRole";
import type { IamRole } from "@gantry/client";
import { Link, useParams } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { gantry } from "../api.js";
import { Id } from "../controls/facts.js";
import { Empty } from "../controls/notice.js";
import { RecordList } from "../controls/record-list.js";
import { Status, stateOf } from "../controls/status.js";
import type { Column } from "../controls/table.js";
import table from "../controls/table.module.css";
import { Ago } from "../controls/time.js";
import { OperationButton } from "../forms/operation.button.js";

export function Page() {
  const { account } = useParams({ from: "/$account/roles" });
  const create = (
    <OperationButton
      account={account}
      operation={createIamRole}
      act="Create a role"
      icon={<Plus aria-hidden />}
      record={{ instance_profile: true }}
      only={[
        "provider",
        "iam_role.name",
        "iam_role.path",
        "iam_role.policy",
        "iam_role.policy_arn",
        "iam_role.instance_profile",
        "iam_role.tags",
      ]}
      labels={{ "iam_role.policy_arn": "ARN of another policy", "iam_role.instance_profile": "For servers" }}
    />
  );
  return (
    <RecordList
      title="Roles"
      type="iam_role"
      of={[account]}
      path={`/iam_roles?account=${account}`}
      list={(query, options) => gantry.iamRoles.list({ account: [account], ...query }, options)}
      columns={columns(account)}
      filters={[{ name: "q", label: "Name" }]}
      acts={create}
      empty={
        <Empty title="This account has no role yet">
          <p>An IAM role lets the programs on a server call AWS without keys.</p>
        </Empty>
      }
    />
  );
}

function columns(account: string): Column<IamRole>[] {
  return [
    {
      title: "Name",
      cell: ({ id, name }) => (
        <Link className={table.name} to="/$account/roles/$id" params={{ account, id }}>
          {name}
        </Link>
      ),
    },
    { title: "State", cell: (role) => <Status state={stateOf(role)} /> },
    { title: "For servers", cell: ({ instance_profile }) => (instance_profile ? "yes" : "no") },
    { title: "ARN", cell: ({ arn }) => <Id id={arn} /> },
    { title: "Created", isRight: true, cell: ({ created_at }) => <Ago at={created_at} /> },
  ];
}
