import createSubnet from "operation:createSubnet";
import deleteSubnet from "operation:deleteSubnet";
import patchSubnet from "operation:patchSubnet";
import type { Network, Subnet } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { Pencil, Plus, Trash2 } from "lucide-react";
import { gantry } from "../api.js";
import { zonesQuery } from "../controls/choices.js";
import { Id, Tags } from "../controls/facts.js";
import { Empty } from "../controls/notice.js";
import { Bar } from "../controls/panel.js";
import { Records } from "../controls/record-list.js";
import { Status, stateOf } from "../controls/status.js";
import type { Column } from "../controls/table.js";
import { OperationButton } from "../forms/operation.button.js";

/** The subnets of a network. */
export function Subnets({ network }: { network: Network }) {
  const { account } = useParams({ from: "/$account/networks/$id" });
  const provider = network.provider.split("/").at(-1) ?? "";
  const { data: zones } = useQuery(zonesQuery(provider, network.location));
  const isGone = Boolean(network.deleted_at ?? network.removal_started_at);
  return (
    <>
      <Bar>
        <OperationButton
          account={account}
          operation={createSubnet}
          act="Create a subnet"
          icon={<Plus aria-hidden />}
          fixed={{ network: network.id }}
          choices={{ "subnet.location": zones }}
          labels={{ "subnet.cidr": "Block of addresses", "subnet.location": "Zone" }}
          impossible={isGone ? "The network is being removed" : undefined}
        />
      </Bar>
      <Records
        type="subnet"
        of={[network.id]}
        label="Subnets"
        list={(query, options) => gantry.subnets.list({ network: [network.id], ...query }, options)}
        belongs={(subnet) => subnet.network.endsWith(`/${network.id}`)}
        columns={columns(account)}
        empty={<Empty title="This network has no subnet yet" />}
      />
    </>
  );
}

function columns(account: string): Column<Subnet>[] {
  return [
    { title: "Block", cell: ({ cidr }) => <code>{cidr}</code> },
    { title: "Zone", isWhole: true, cell: ({ location }) => location },
    { title: "Kind", cell: ({ private: isPrivate }) => (isPrivate ? "private" : "public") },
    { title: "State", cell: (subnet) => <Status state={stateOf(subnet)} /> },
    { title: "AWS id", cell: ({ provisioned_id }) => <Id id={provisioned_id} /> },
    { title: "Tags", cell: ({ tags }) => <Tags tags={tags} /> },
    {
      title: "Acts",
      isRight: true,
      cell: (subnet) => (
        <span>
          <OperationButton
            account={account}
            operation={patchSubnet}
            ids={[subnet.id]}
            act={`Edit ${subnet.cidr}`}
            icon={<Pencil aria-hidden />}
            isSmall
            record={subnet}
          />
          <OperationButton
            account={account}
            operation={deleteSubnet}
            ids={[subnet.id]}
            act={`Remove ${subnet.cidr}`}
            kind="danger"
            icon={<Trash2 aria-hidden />}
            isSmall
            impossible={subnet.deleted_at || subnet.removal_started_at ? "It is being removed" : undefined}
          >
            <p>Gantry removes the subnet from AWS. The network and its other subnets stay.</p>
          </OperationButton>
        </span>
      ),
    },
  ];
}
