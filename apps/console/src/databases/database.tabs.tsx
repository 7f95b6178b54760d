import type { Alert, DatabaseServer, DatabaseServerSnapshot, DatabaseService, Firewall } from "@gantry/client";
import { gantry } from "../api.js";
import { Id } from "../controls/facts.js";
import { Empty } from "../controls/notice.js";
import { RecordLink } from "../controls/record-link.js";
import { Records, recordsTab } from "../controls/record-list.js";
import { Status } from "../controls/status.js";
import type { Column } from "../controls/table.js";
import type { Tab } from "../controls/tabs.js";
import { Ago } from "../controls/time.js";
import { Connection } from "./connection.js";
import { snapshotColumns } from "./snapshots.js";

/** The parts of a database. */
export function databaseTabs(account: string, database: DatabaseService, master: DatabaseServer | undefined): Tab[] {
  const { id } = database;
  const of = ["service", id];
  return [
    recordsTab<DatabaseServer>("servers", "Servers", {
      type: "database_server",
      of,
      label: "Database servers",
      list: (query, options) => gantry.databaseServices.servers(id, query, options),
      columns: SERVERS,
      empty: <Empty title="This database has no server" />,
    }),
    recordsTab<DatabaseServerSnapshot>("snapshots", "Snapshots", {
      type: "database_server_snapshot",
      of,
      list: (query, options) => gantry.databaseServices.snapshots(id, query, options),
      columns: snapshotColumns(account),
      empty: <Empty title="No snapshot of this database was taken" />,
    }),
    ["connection", "Connection", <Connection key="connection" database={database} />],
    ["firewalls", "Firewalls", master ? <Firewalls key="firewalls" server={master.id} /> : null],
    recordsTab<Alert>("alerts", "Alerts", {
      type: "alert",
      of,
      list: (query, options) => gantry.databaseServices.alerts(id, query, options),
      columns: ALERTS,
      empty: <Empty title="No alert was raised on this database" />,
    }),
  ];
}

/** The firewalls of a database server. */
export function Firewalls({ server }: { server: string }) {
  return (
    <Records<Firewall>
      type="firewall"
      of={["database server", server]}
      label="Firewalls"
      list={(query, options) => gantry.databaseServers.firewalls(server, query, options)}
      columns={FIREWALLS}
      empty={<Empty title="No firewall is known" />}
    />
  );
}

const SERVERS: Column<DatabaseServer>[] = [
  {
    title: "Server",
    cell: ({ id, provisioned_id }) => (
      <RecordLink url={`${location.origin}/database-servers/${id}`} name={provisioned_id ?? id.slice(-8)} />
    ),
  },
  { title: "Part", cell: ({ replication_source }) => (replication_source ? "replica" : "master") },
  { title: "State", cell: ({ state }) => <Status state={state} /> },
  { title: "Flavor", cell: ({ flavor }) => flavor },
  { title: "Storage", isRight: true, cell: ({ storage, storage_type }) => `${storage} GB ${storage_type}` },
  { title: "Version", cell: ({ version }) => version },
  { title: "Zone", isWhole: true, cell: ({ location }) => location },
];

const FIREWALLS: Column<Firewall>[] = [
  {
    title: "Firewall",
    cell: ({ id, name }) => <RecordLink url={`${location.origin}/firewalls/${id}`} name={name} />,
  },
  { title: "Group in AWS", cell: ({ provisioned_id }) => <Id id={provisioned_id} /> },
  { title: "Region", isWhole: true, cell: ({ location }) => location },
];

const ALERTS: Column<Alert>[] = [
  { title: "Alert", cell: ({ name }) => name },
  { title: "Message", cell: ({ message }) => message },
  { title: "Severity", cell: ({ severity }) => severity },
  { title: "State", cell: ({ finished_at }) => (finished_at ? "finished" : "open") },
  { title: "Raised", isRight: true, cell: ({ created_at }) => <Ago at={created_at} /> },
];
