import createVolume from "operation:createVolume";
import type { Volume } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { gantry } from "../api.js";
import { placesQuery } from "../controls/choices.js";
import { nameAt, useNames } from "../controls/names.js";
import { Empty } from "../controls/notice.js";
import { Bar } from "../controls/panel.js";
import { nameOf, RecordLink } from "../controls/record-link.js";
import { Records } from "../controls/record-list.js";
import type { Column } from "../controls/table.js";
import table from "../controls/table.module.css";
import { Ago } from "../controls/time.js";
import { OperationButton } from "../forms/operation.button.js";
import { StoredStatus } from "./stored-status.js";

export function Volumes() {
  const { account } = useParams({ from: "/$account/storage" });
  const servers = useNames(account, "servers");
  const { data: places } = useQuery(placesQuery(account, "zone"));
  return (
    <>
      <Bar>
        <OperationButton
          account={account}
          operation={createVolume}
          act="Create a volume"
          icon={<Plus aria-hidden />}
          record={{ volume_type: "gp3", size: 20 }}
          only={[
            "provider",
            "volume.location",
            "volume.name",
            "volume.size",
            "volume.volume_type",
            "snapshot",
            "volume.encrypted",
            "volume.tags",
          ]}
          choices={{ "volume.location": places ?? undefined }}
          labels={{ "volume.location": "Zone", snapshot: "Snapshot that it copies" }}
        />
      </Bar>
      <Records
        type="volume"
        of={[account]}
        label="Volumes"
        list={(query, options) => gantry.volumes.list({ account: [account], ...query }, options)}
        columns={columns(account, servers)}
        empty={
          <Empty title="This account has no volume yet">
            <p>A volume is a disk in a zone. Each server is created with one for its data.</p>
          </Empty>
        }
      />
    </>
  );
}

function columns(account: string, servers: ReturnType<typeof useNames>): Column<Volume>[] {
  return [
    {
      title: "Name",
      cell: (volume) => (
        <Link className={table.name} to="/$account/volumes/$id" params={{ account, id: String(volume.id) }}>
          {nameOf(volume)}
        </Link>
      ),
    },
    { title: "State", cell: (volume) => <StoredStatus record={volume} /> },
    { title: "Size", isRight: true, cell: ({ size }) => `${size} GB` },
    { title: "Type", cell: ({ volume_type }) => volume_type },
    { title: "Zone", isWhole: true, cell: ({ location }) => location },
    { title: "Server", cell: ({ server }) => <RecordLink url={server} name={nameAt(servers, server)} /> },
    { title: "Created", isRight: true, cell: ({ created_at }) => <Ago at={created_at} /> },
  ];
}
