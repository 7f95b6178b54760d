import type { Alert, Firewall, Message, Server, Snapshot, Volume } from "@gantry/client";
import { gantry } from "../api.js";
import { Id } from "../controls/facts.js";
import { Empty } from "../controls/notice.js";
import { nameOf, RecordLink } from "../controls/record-link.js";
import { Records } from "../controls/record-list.js";
import { Status, stateOf } from "../controls/status.js";
import type { Column } from "../controls/table.js";
import { Ago } from "../controls/time.js";

interface Part {
  server: Server;
}

const linkTo = (collection: string, id: string | number, name: string) => (
  <RecordLink url={`${location.origin}/${collection}/${id}`} name={name} />
);

/** The disks of a server beside those of its image. */
export function Volumes({ server: { id } }: Part) {
  return (
    <Records
      type="volume"
      of={["server", id]}
      label="Volumes"
      list={(query, options) => gantry.servers.volumes(id, query, options)}
      belongs={({ server }) => server?.endsWith(`/servers/${id}`) ?? false}
      columns={volumes}
      empty={<Empty title="No volume is attached" />}
    />
  );
}

const volumes: Column<Volume>[] = [
  { title: "Name", cell: (volume) => linkTo("volumes", volume.id, nameOf(volume)) },
  { title: "State", cell: ({ state }) => <Status state={state} /> },
  { title: "Mount", cell: ({ mount, device }) => <code>{mount ?? device ?? "–"}</code> },
  { title: "Type", cell: ({ volume_type }) => volume_type },
  { title: "Size", isRight: true, cell: ({ size }) => `${size} GB` },
];

export function Firewalls({ server: { id } }: Part) {
  return (
    <Records
      type="firewall"
      of={["server", id]}
      label="Firewalls"
      list={(query, options) => gantry.servers.firewalls(id, query, options)}
      belongs={() => false}
      columns={firewalls}
      empty={<Empty title="No firewall protects the server" />}
    />
  );
}

const firewalls: Column<Firewall>[] = [
  { title: "Name", cell: ({ id, name }) => linkTo("firewalls", id, name) },
  { title: "State", cell: (firewall) => <Status state={stateOf(firewall)} /> },
  { title: "Security group", cell: ({ provisioned_id }) => <Id id={provisioned_id} /> },
];

export function Snapshots({ server: { id } }: Part) {
  return (
    <Records
      type="snapshot"
      of={["server", id]}
      label="Snapshots"
      list={(query, options) => gantry.servers.snapshots(id, query, options)}
      belongs={({ server }) => server.endsWith(`/servers/${id}`)}
      columns={snapshots}
      empty={<Empty title="The server has no snapshot yet" />}
    />
  );
}

const snapshots: Column<Snapshot>[] = [
  { title: "Snapshot", cell: ({ id }) => linkTo("snapshots", id, `no. ${id}`) },
  { title: "State", cell: ({ state }) => <Status state={state} /> },
  { title: "Volume", cell: ({ volume }) => <RecordLink url={volume} /> },
  { title: "Size", isRight: true, cell: ({ size }) => `${size} GB` },
  { title: "Created", isRight: true, cell: ({ created_at }) => <Ago at={created_at} /> },
];

/** What Requests on the server said, and what it reported about its first boot. */
export function Messages({ server: { id } }: Part) {
  return (
    <Records
      type="message"
      of={["server", id]}
      label="Messages"
      list={(query, options) => gantry.servers.events(id, query, options)}
      columns={messages}
      empty={<Empty title="No message yet" />}
    />
  );
}

const messages: Column<Message>[] = [
  { title: "Message", cell: ({ message }) => message },
  { title: "Written", isRight: true, cell: ({ created_at }) => <Ago at={created_at} /> },
];

export function Alerts({ server: { id } }: Part) {
  return (
    <Records
      type="alert"
      of={["server", id]}
      label="Alerts"
      list={(query, options) => gantry.servers.alerts(id, query, options)}
      belongs={({ resource }) => resource.endsWith(`/servers/${id}`)}
      columns={alerts}
      empty={<Empty title="No alert on record" />}
    />
  );
}

const alerts: Column<Alert>[] = [
  { title: "Alert", cell: ({ name, message }) => `${name}: ${message}` },
  { title: "Severity", cell: ({ severity }) => severity },
  { title: "State", cell: ({ finished_at }) => (finished_at ? "finished" : "open") },
  { title: "Raised", isRight: true, cell: ({ created_at }) => <Ago at={created_at} /> },
];
