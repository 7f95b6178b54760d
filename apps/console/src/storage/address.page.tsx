import attachAddress from "operation:attachAddress";
import deleteAddress from "operation:deleteAddress";
import detachAddress from "operation:detachAddress";
import patchAddress from "operation:patchAddress";
import type { Address } from "@gantry/client";
import { useParams } from "@tanstack/react-router";
import { Link2, Pencil, Trash2, Unlink } from "lucide-react";
import { Id, Tags } from "../controls/facts.js";
import { nameOf, RecordLink } from "../controls/record-link.js";
import { RecordPage } from "../controls/record-page.js";
import { Status, stateOf } from "../controls/status.js";
import { Ago } from "../controls/time.js";
import { OperationButton } from "../forms/operation.button.js";

export function Page() {
  return (
    <RecordPage<Address>
      type="address"
      path="/addresses"
      above={["Storage", "storage"]}
      titleOf={nameOf}
      facts={(address) => [
        ["State", <Status key="state" state={stateOf(address)} />],
        ["Server", <RecordLink key="server" url={address.server} />],
        ["Region", address.location],
        ["Allocation", <Id key="allocation" id={address.provisioned_id} />],
        ["Tags", <Tags key="tags" tags={address.tags} />],
        ["Created", <Ago key="created" at={address.created_at} />],
      ]}
      acts={(address) => <Acts address={address} />}
    />
  );
}

function Acts({ address }: { address: Address }) {
  const { account } = useParams({ from: "/$account/addresses/$id" });
  const gone = address.deleted_at ? "The address is removed" : undefined;
  const attached = address.server ? "Detach it from its server first" : undefined;
  const shared = { account, ids: [address.id], impossible: gone };
  return (
    <>
      {address.server ? (
        <OperationButton {...shared} operation={detachAddress} act="Detach" kind="danger" icon={<Unlink aria-hidden />}>
          <p>The server can no longer be reached at {address.ip_address}. The address stays in the account.</p>
        </OperationButton>
      ) : (
        <OperationButton {...shared} operation={attachAddress} act="Attach" icon={<Link2 aria-hidden />} />
      )}
      <OperationButton {...shared} operation={patchAddress} act="Edit" icon={<Pencil aria-hidden />} record={address} />
      <OperationButton
        {...shared}
        operation={deleteAddress}
        act="Remove the address"
        kind="danger"
        icon={<Trash2 aria-hidden />}
        impossible={gone ?? attached}
      >
        <p>AWS gets {address.ip_address} back. The same address cannot be had again.</p>
      </OperationButton>
    </>
  );
}
