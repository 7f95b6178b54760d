import type { DatabaseServer, DatabaseServerSnapshot } from "@gantry/client";
import { useParams } from "@tanstack/react-router";
import { gantry } from "../api.js";
import { Id, Tags } from "../controls/facts.js";
import { Empty } from "../controls/notice.js";
import { RecordLink } from "../controls/record-link.js";
import { recordsTab } from "../controls/record-list.js";
import { RecordPage } from "../controls/record-page.js";
import { Status } from "../controls/status.js";
import { Ago } from "../controls/time.js";
import { AwsLinks } from "./connection.js";
import { Firewalls } from "./database.tabs.js";
import { DatabaseServerActs } from "./database-server.acts.js";
import { pendingText } from "./pending.js";
import { snapshotColumns } from "./snapshots.js";

export function Page() {
  const { account, id } = useParams({ from: "/$account/database-servers/$id" });
  return (
    <RecordPage<DatabaseServer>
      type="database_server"
      path="/database-servers"
      above={["Databases", "databases"]}
      titleOf={({ provisioned_id }) => provisioned_id ?? `Database server ${id.slice(-8)}`}
      facts={(server) => [
        ["State", <Status key="state" state={server.deleted_at ? "removed" : server.state} />],
        ["Endpoint", <Id key="endpoint" id={server.endpoint} />],
        ["Database", <RecordLink key="database" url={server.database_service} />],
        [
          "Part",
          server.replication_source ? (
            <span key="part">
              replica of <RecordLink url={server.replication_source} />
            </span>
          ) : (
            "master"
          ),
        ],
        ["Engine", `${server.engine} ${server.version}`],
        ["Flavor", server.flavor],
        ["Storage", `${server.storage} GB ${server.storage_type}${server.storage_encrypted ? ", encrypted" : ""}`],
        ["Zone", server.location],
        ["Copy in another zone", server.modifiers.multi_az ? "yes" : "no"],
        ["Backups kept", `${server.backup_retention_period} days`],
        ["Backups begin", `${server.backup_window.start.hour}:${server.backup_window.start.minute} UTC`],
        ["Maintenance", windowText(server)],
        ["Certificate authority", server.certificate_authority],
        ["Changes in the next maintenance", server.pending && `${pendingText(server.pending)}, ${windowText(server)}`],
        ["Tags", <Tags key="tags" tags={server.tags} />],
        ["Created", <Ago key="created" at={server.created_at} />],
      ]}
      acts={(server) => <DatabaseServerActs account={account} server={server} />}
      tabs={() => [
        recordsTab<DatabaseServerSnapshot>("snapshots", "Snapshots", {
          type: "database_server_snapshot",
          of: ["server", id],
          list: (query, options) => gantry.databaseServers.snapshots(id, query, options),
          columns: snapshotColumns(account),
          empty: <Empty title="No snapshot of this server was taken" />,
        }),
        ["firewalls", "Firewalls", <Firewalls key="firewalls" server={id} />],
      ]}
    >
      {(server) => <AwsLinks path={new URL(server.database_service).pathname} server={server.id} />}
    </RecordPage>
  );
}

function windowText({ preferred_maintenance_window: { start, end } }: DatabaseServer): string {
  return `${start.day} ${start.hour}:${start.minute} to ${end.day} ${end.hour}:${end.minute} UTC`;
}
