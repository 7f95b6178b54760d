import createAddress from "operation:createAddress";
import type { Address } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { gantry } from "../api.js";
import { placesQuery } from "../controls/choices.js";
import { Id } from "../controls/facts.js";
import { nameAt, useNames } from "../controls/names.js";
import { Empty } from "../controls/notice.js";
import { Bar } from "../controls/panel.js";
import { nameOf, RecordLink } from "../controls/record-link.js";
import { Records } from "../controls/record-list.js";
import { Status, stateOf } from "../controls/status.js";
import type { Column } from "../controls/table.js";
import table from "../controls/table.module.css";
import { Ago } from "../controls/time.js";
import { OperationButton } from "../forms/operation.button.js";

export function Addresses() {
  const { account } = useParams({ from: "/$account/storage" });
  const servers = useNames(account, "servers");
  const { data: places } = useQuery(placesQuery(account, "region"));
  return (
    <>
      <Bar>
        <OperationButton
          account={account}
          operation={createAddress}
          act="Create an address"
          icon={<Plus aria-hidden />}
          only={["provider", "address.location", "address.tags"]}
          choices={{ "address.location": places ?? undefined }}
          labels={{ "address.location": "Region" }}
        />
      </Bar>
      <Records
        type="address"
        of={[account]}
        label="Addresses"
        list={(query, options) => gantry.addresses.list({ account: [account], ...query }, options)}
        columns={columns(account, servers)}
        empty={
          <Empty title="This account has no address yet">
            <p>An address is an Elastic IP: it stays the same when its server changes.</p>
          </Empty>
        }
      />
    </>
  );
}

function columns(account: string, servers: ReturnType<typeof useNames>): Column<Address>[] {
  return [
    {
      title: "Address",
      cell: (address) => (
        <Link className={table.name} to="/$account/addresses/$id" params={{ account, id: String(address.id) }}>
          {nameOf(address)}
        </Link>
      ),
    },
    { title: "State", cell: (address) => <Status state={stateOf(address)} /> },
    { title: "Server", cell: ({ server }) => <RecordLink url={server} name={nameAt(servers, server)} /> },
    { title: "Region", cell: ({ location }) => location },
    { title: "Allocation", cell: ({ provisioned_id }) => <Id id={provisioned_id} /> },
    { title: "Created", isRight: true, cell: ({ created_at }) => <Ago at={created_at} /> },
  ];
}
