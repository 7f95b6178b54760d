import attachVolume from "operation:attachVolume";
import deleteVolume from "operation:deleteVolume";
import detachVolume from "operation:detachVolume";
import modifyVolume from "operation:modifyVolume";
import patchVolume from "operation:patchVolume";
import type { Volume } from "@gantry/client";
import { useParams } from "@tanstack/react-router";
import { Link2, Pencil, Scaling, Trash2, Unlink } from "lucide-react";
import { Id, Tags } from "../controls/facts.js";
import { nameOf, RecordLink } from "../controls/record-link.js";
import { RecordPage } from "../controls/record-page.js";
import { Ago } from "../controls/time.js";
import { OperationButton } from "../forms/operation.button.js";
import { StoredStatus } from "./stored-status.js";

export function Page() {
  return (
    <RecordPage<Volume>
      type="volume"
      path="/volumes"
      above={["Storage", "storage"]}
      titleOf={nameOf}
      facts={(volume) => [
        ["State", <StoredStatus key="state" record={volume} />],
        ["Size", `${volume.size} GB`],
        ["Filled by its file system", volume.file_system_size !== null && `${volume.file_system_size} GB`],
        ["Type", volume.volume_type],
        ["IOPS", volume.iops],
        ["Throughput", volume.throughput && `${volume.throughput} MiB/s`],
        ["Encrypted", volume.encrypted ? "yes" : "no"],
        ["Zone", volume.location],
        ["Server", <RecordLink key="server" url={volume.server} />],
        ["Mount", volume.mount && <code key="mount">{volume.mount}</code>],
        ["Device", volume.device && <code key="device">{volume.device}</code>],
        ["AWS id", <Id key="aws" id={volume.provisioned_id} />],
        ["Tags", <Tags key="tags" tags={volume.tags} />],
        ["Created", <Ago key="created" at={volume.created_at} />],
      ]}
      acts={(volume) => <Acts volume={volume} />}
    />
  );
}

function Acts({ volume }: { volume: Volume }) {
  const { account } = useParams({ from: "/$account/volumes/$id" });
  const gone = volume.deleted_at ? "The volume is removed" : undefined;
  const attached = volume.server ? "Detach it from its server first" : undefined;
  const shared = { account, ids: [volume.id], impossible: gone };
  return (
    <>
      {volume.server ? (
        <OperationButton {...shared} operation={detachVolume} act="Detach" kind="danger" icon={<Unlink aria-hidden />}>
          <p>The server loses the disk. The volume and what is on it stay.</p>
        </OperationButton>
      ) : (
        <OperationButton {...shared} operation={attachVolume} act="Attach" icon={<Link2 aria-hidden />}>
          <p>The server must be in the zone of the volume, {volume.location}.</p>
        </OperationButton>
      )}
      <OperationButton
        {...shared}
        operation={modifyVolume}
        act="Change size or type"
        icon={<Scaling aria-hidden />}
        record={volume}
      />
      <OperationButton {...shared} operation={patchVolume} act="Edit" icon={<Pencil aria-hidden />} record={volume} />
      <OperationButton
        {...shared}
        operation={deleteVolume}
        act="Remove the volume"
        kind="danger"
        icon={<Trash2 aria-hidden />}
        impossible={gone ?? attached}
      >
        <p>Gantry removes the volume and what is on it from AWS. Its snapshots stay. This cannot be undone.</p>
      </OperationButton>
    </>
  );
}
