import type { Snapshot } from "@gantry/client";
import { Link, useParams } from "@tanstack/react-router";
import { gantry } from "../api.js";
import { nameAt, useNames } from "../controls/names.js";
import { Empty } from "../controls/notice.js";
import { RecordLink } from "../controls/record-link.js";
import { Records } from "../controls/record-list.js";
import type { Column } from "../controls/table.js";
import table from "../controls/table.module.css";
import { Ago } from "../controls/time.js";
import { StoredStatus } from "./stored-status.js";

export function Snapshots() {
  const { account } = useParams({ from: "/$account/storage" });
  const servers = useNames(account, "servers");
  const environments = useNames(account, "environments");
  return (
    <Records
      type="snapshot"
      of={[account]}
      label="Snapshots"
      list={(query, options) => gantry.snapshots.list({ account: [account], ...query }, options)}
      columns={columns(account, servers, environments)}
      empty={
        <Empty title="This account has no snapshot yet">
          <p>A snapshot is a copy of a volume. Take one on the page of a server.</p>
          <Link to="/$account/servers" params={{ account }}>
            Servers
          </Link>
        </Empty>
      }
    />
  );
}

type Names = ReturnType<typeof useNames>;

function columns(account: string, servers: Names, environments: Names): Column<Snapshot>[] {
  return [
    {
      title: "Snapshot",
      cell: ({ id }) => (
        <Link className={table.name} to="/$account/snapshots/$id" params={{ account, id: String(id) }}>
          {`no. ${id}`}
        </Link>
      ),
    },
    { title: "State", cell: (snapshot) => <StoredStatus record={snapshot} /> },
    { title: "Progress", isRight: true, cell: ({ progress }) => `${progress} %` },
    { title: "Size", isRight: true, cell: ({ size }) => `${size} GB` },
    { title: "Server", cell: ({ server }) => <RecordLink url={server} name={nameAt(servers, server)} /> },
    {
      title: "Environment",
      cell: ({ environment }) => <RecordLink url={environment} name={nameAt(environments, environment)} />,
    },
    { title: "Region", isWhole: true, cell: ({ region }) => region.id },
    { title: "Created", isRight: true, cell: ({ created_at }) => <Ago at={created_at} /> },
  ];
}
