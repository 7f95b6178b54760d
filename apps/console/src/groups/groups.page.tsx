import createAutoScalingGroup from "operation:createAutoScalingGroup";
import type { AutoScalingGroup } from "@gantry/client";
import { Link, useParams } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { gantry } from "../api.js";
import { Empty } from "../controls/notice.js";
import { RecordLink } from "../controls/record-link.js";
import { RecordList } from "../controls/record-list.js";
import { Status, stateOf } from "../controls/status.js";
import type { Column } from "../controls/table.js";
import table from "../controls/table.module.css";
import { Ago } from "../controls/time.js";
import { OperationButton } from "../forms/operation.button.js";

export function Page() {
  const { account } = useParams({ from: "/$account/groups" });
  const create = (
    <OperationButton
      account={account}
      operation={createAutoScalingGroup}
      act="Provision a group"
      icon={<Plus aria-hidden />}
      isMain
    >
      <p>A group keeps a number of servers like the app master of an environment, which must run.</p>
    </OperationButton>
  );
  return (
    <RecordList
      title="Groups"
      type="auto_scaling_group"
      of={[account]}
      path={`/auto_scaling_groups?account=${account}`}
      list={(query, options) => gantry.autoScalingGroups.list({ account: [account], ...query }, options)}
      columns={columns(account)}
      acts={create}
      empty={
        <Empty title="This account has no auto scaling group yet">
          <p>A group launches and ends servers of an environment, within the sizes that you set.</p>
          {create}
        </Empty>
      }
    />
  );
}

function columns(account: string): Column<AutoScalingGroup>[] {
  return [
    {
      title: "Group",
      cell: ({ id, provisioned_id }) => (
        <Link className={table.name} to="/$account/groups/$id" params={{ account, id }}>
          {provisioned_id ?? id.slice(-8)}
        </Link>
      ),
    },
    { title: "Environment", cell: ({ environment }) => <RecordLink url={environment} /> },
    { title: "State", cell: (group) => <Status state={stateOf(group)} /> },
    {
      title: "Servers",
      isRight: true,
      cell: ({ minimum_size, maximum_size, desired_capacity }) =>
        `${desired_capacity} (${minimum_size} to ${maximum_size})`,
    },
    { title: "Flavor", cell: ({ flavor }) => flavor ?? "of the app master" },
    { title: "Created", isRight: true, cell: ({ created_at }) => <Ago at={created_at} /> },
  ];
}
