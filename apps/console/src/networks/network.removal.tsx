import type { Network, Request } from "@gantry/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { gantry } from "../api.js";
import { Confirmation } from "../controls/dialog.js";
import { Field } from "../controls/field.js";
import { Refusal } from "../controls/notice.js";

interface NetworkRemovalProps {
  account: string;
  network: Network;
  onClose: () => void;
}

/** Asks for the name of a network before it is removed, and shows what goes with it. */
export function NetworkRemoval({ account, network, onClose }: NetworkRemovalProps) {
  const name = network.name ?? network.cidr;
  const [typed, setTyped] = useState("");
  const [key] = useState(() => crypto.randomUUID());
  const navigate = useNavigate();
  const { data: plan, error } = useQuery({
    queryKey: ["plan of a removal", network.id],
    staleTime: 0,
    gcTime: 0,
    queryFn: ({ signal }) => gantry.networks.delete.plan(network.id, { signal }),
  });
  const removing = useMutation({
    mutationFn: () => gantry.call("DELETE", `/networks/${network.id}`, { idempotencyKey: key }),
    onSuccess: ({ body }) => {
      const { id } = (body as { request: Request }).request;
      void navigate({ to: "/$account/requests/$request", params: { account, request: id } });
    },
  });
  const others = plan?.removes_records?.filter(({ type }) => type !== "network") ?? [];
  return (
    <Confirmation
      title={`Remove the network ${name}?`}
      act="Remove the network"
      onConfirm={() => removing.mutate()}
      onClose={onClose}
      isBusy={removing.isPending}
      isAllowed={typed === name && !error}
      error={removing.error}
    >
      <p>
        Gantry removes the VPC {network.provisioned_id ?? ""} in {network.location} from AWS
        {others.length > 0 &&
          `, and ${others.length} records in it: ${others.map(({ type, name, id }) => `${type} ${name ?? id}`).join(", ")}`}
        . This cannot be undone.
      </p>
      <Refusal error={error} />
      <Field
        label={`Type ${name} to confirm`}
        value={typed}
        autoComplete="off"
        onChange={(event) => setTyped(event.target.value)}
      />
    </Confirmation>
  );
}
