import type { Network } from "@gantry/client";
import { Link, useParams } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { gantry } from "../api.js";
import buttons from "../controls/button.module.css";
import { Id } from "../controls/facts.js";
import { Empty } from "../controls/notice.js";
import { RecordList } from "../controls/record-list.js";
import { Status, stateOf } from "../controls/status.js";
import type { Column } from "../controls/table.js";
import table from "../controls/table.module.css";
import { Ago } from "../controls/time.js";

export function Page() {
  const { account } = useParams({ from: "/$account/networks" });
  const provision = (
    <Link to="/$account/networks/new" params={{ account }} className={`${buttons.button} ${buttons.primary}`}>
      <Plus aria-hidden /> Provision a network
    </Link>
  );
  return (
    <RecordList
      title="Networks"
      type="network"
      of={[account]}
      path={`/networks?account=${account}`}
      list={(query, options) => gantry.networks.list({ account: [account], ...query }, options)}
      columns={columns(account)}
      acts={provision}
      empty={
        <Empty title="This account has no network yet">
          <p>A network is a VPC with a subnet in each zone of a region. Servers and databases run in it.</p>
          {provision}
        </Empty>
      }
    />
  );
}

function columns(account: string): Column<Network>[] {
  return [
    {
      title: "Name",
      cell: ({ id, name, cidr }) => (
        <Link className={table.name} to="/$account/networks/$id" params={{ account, id }}>
          {name ?? cidr}
        </Link>
      ),
    },
    { title: "Block", cell: ({ cidr }) => <code>{cidr}</code> },
    { title: "State", cell: (network) => <Status state={stateOf(network)} /> },
    { title: "Region", isWhole: true, cell: ({ location }) => location },
    { title: "VPC", cell: ({ provisioned_id }) => <Id id={provisioned_id} /> },
    { title: "Created", isRight: true, cell: ({ created_at }) => <Ago at={created_at} /> },
  ];
}
