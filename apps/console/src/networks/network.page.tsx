import deleteNetwork from "operation:deleteNetwork";
import patchNetwork from "operation:patchNetwork";
import type { Network } from "@gantry/client";
import { useParams } from "@tanstack/react-router";
import { Pencil, Trash2 } from "lucide-react";
import { Id, Tags } from "../controls/facts.js";
import { RecordPage } from "../controls/record-page.js";
import { Ago } from "../controls/time.js";
import { OperationButton } from "../forms/operation.button.js";
import { networkState } from "./network-state.js";

export function Page() {
  const { account } = useParams({ from: "/$account/networks/$id" });
  return (
    <RecordPage<Network>
      type="network"
      path="/networks"
      above={["Networks", "networks"]}
      titleOf={({ name, cidr }) => name ?? cidr}
      facts={(network) => [
        ["State", networkState(network)],
        ["Block", <code key="block">{network.cidr}</code>],
        ["Region", network.location],
        ["VPC", <Id key="vpc" id={network.provisioned_id} />],
        ["Tags", <Tags key="tags" tags={network.tags} />],
        ["Created", <Ago key="created" at={network.created_at} />],
      ]}
      acts={(network) => (
        <>
          <OperationButton
            account={account}
            operation={patchNetwork}
            ids={[network.id]}
            act="Edit"
            icon={<Pencil aria-hidden />}
            record={network}
          />
          <OperationButton
            account={account}
            operation={deleteNetwork}
            ids={[network.id]}
            act="Remove the network"
            kind="danger"
            icon={<Trash2 aria-hidden />}
            confirm={network.name ?? network.cidr}
            impossible={network.removal_started_at ? "It is being removed" : undefined}
          >
            <p>Gantry removes the VPC {network.provisioned_id ?? ""} from AWS. This cannot be undone.</p>
          </OperationButton>
        </>
      )}
    />
  );
}
