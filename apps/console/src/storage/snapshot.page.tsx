import deleteSnapshot from "operation:deleteSnapshot";
import patchSnapshot from "operation:patchSnapshot";
import type { Snapshot } from "@gantry/client";
import { useParams } from "@tanstack/react-router";
import { Pencil, Trash2 } from "lucide-react";
import { Tags } from "../controls/facts.js";
import { RecordLink } from "../controls/record-link.js";
import { RecordPage } from "../controls/record-page.js";
import { Ago } from "../controls/time.js";
import { OperationButton } from "../forms/operation.button.js";
import { StoredStatus } from "./stored-status.js";

export function Page() {
  const { account } = useParams({ from: "/$account/snapshots/$id" });
  return (
    <RecordPage<Snapshot>
      type="snapshot"
      path="/snapshots"
      above={["Storage", "storage"]}
      titleOf={({ id }) => `Snapshot ${id}`}
      facts={(snapshot) => [
        ["State", <StoredStatus key="state" record={snapshot} />],
        ["Progress", `${snapshot.progress} %`],
        ["Size", `${snapshot.size} GB`],
        ["Volume", <RecordLink key="volume" url={snapshot.volume} />],
        ["Server", <RecordLink key="server" url={snapshot.server} />],
        ["Environment", <RecordLink key="environment" url={snapshot.environment} />],
        ["Region", snapshot.region.name],
        ["Made by", <RecordLink key="request" url={snapshot.snapshot_server_request} name="its Request" />],
        ["Tags", <Tags key="tags" tags={snapshot.tags} />],
        ["Created", <Ago key="created" at={snapshot.created_at} />],
      ]}
      acts={(snapshot) => {
        const impossible = snapshot.deleted_at ? "The snapshot is removed" : undefined;
        const shared = { account, ids: [snapshot.id], impossible };
        return (
          <>
            <OperationButton
              {...shared}
              operation={patchSnapshot}
              act="Edit"
              icon={<Pencil aria-hidden />}
              record={snapshot}
            />
            <OperationButton
              {...shared}
              operation={deleteSnapshot}
              act="Remove the snapshot"
              kind="danger"
              icon={<Trash2 aria-hidden />}
            >
              <p>The volume can no longer be restored to this state. The volume stays. This cannot be undone.</p>
            </OperationButton>
          </>
        );
      }}
    />
  );
}
