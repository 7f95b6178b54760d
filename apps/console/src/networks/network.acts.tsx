import deleteNetwork from "operation:deleteNetwork";
import patchNetwork from "operation:patchNetwork";
import type { Network } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { Pencil, Trash2 } from "lucide-react";
import { OperationButton } from "../forms/operation.button.js";
import { subnetsQuery } from "./network.queries.js";
import { RemoveSubnets } from "./subnets.removal.js";

/** What can be done with a network. */
export function NetworkActs({ network }: { network: Network }) {
  const { account } = useParams({ from: "/$account/networks/$id" });
  const { data, isPending } = useQuery(subnetsQuery(network.id));
  const subnets = data?.items.filter(({ deleted_at }) => !deleted_at) ?? [];
  return (
    <>
      <OperationButton
        account={account}
        operation={patchNetwork}
        ids={[network.id]}
        act="Edit"
        icon={<Pencil aria-hidden />}
        record={network}
      />
      {subnets.length > 0 ? (
        <RemoveSubnets account={account} subnets={subnets} />
      ) : (
        <OperationButton
          account={account}
          operation={deleteNetwork}
          ids={[network.id]}
          act="Remove the network"
          kind="danger"
          icon={<Trash2 aria-hidden />}
          confirm={network.name ?? network.cidr}
          impossible={
            network.deleted_at || network.removal_started_at
              ? "It is being removed"
              : isPending
                ? "Its subnets are being read"
                : undefined
          }
        >
          <p>Gantry removes the VPC {network.provisioned_id ?? ""} from AWS. This cannot be undone.</p>
        </OperationButton>
      )}
    </>
  );
}
