import deleteNetwork from "operation:deleteNetwork";
import patchNetwork from "operation:patchNetwork";
import type { Network } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button } from "../controls/button.js";
import buttons from "../controls/button.module.css";
import { Modal } from "../controls/dialog.js";
import dialogs from "../controls/dialog.module.css";
import { OperationButton } from "../forms/operation.button.js";
import { subnetsQuery } from "./network.queries.js";

/** What can be done with a network. */
export function NetworkActs({ network }: { network: Network }) {
  const { account } = useParams({ from: "/$account/networks/$id" });
  const { data, isPending } = useQuery(subnetsQuery(network.id));
  const subnets = data?.items.filter(({ deleted_at }) => !deleted_at).length ?? 0;
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
      {subnets > 0 ? (
        <SubnetsFirst subnets={subnets} />
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

/** Stands for the removal while the API would refuse it. */
function SubnetsFirst({ subnets }: { subnets: number }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <Trash2 aria-hidden />
        Remove the network
      </Button>
      {isOpen && (
        <Modal title="Remove the network" onClose={() => setOpen(false)}>
          <p className={dialogs.text}>
            {`The network has ${subnets === 1 ? "a subnet" : `${subnets} subnets`}. Remove ${subnets === 1 ? "it" : "them"} first; then the network can be removed.`}
          </p>
          <div className={dialogs.acts}>
            <Button onClick={() => setOpen(false)}>Keep</Button>
            <Link
              to="."
              search={{ tab: "subnets" }}
              className={`${buttons.button} ${buttons.primary}`}
              onClick={() => setOpen(false)}
            >
              Show the subnets
            </Link>
          </div>
        </Modal>
      )}
    </>
  );
}
