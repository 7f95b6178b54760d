import type { DatabaseServer, Network, Server, Subnet } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Database, Globe, Lock } from "lucide-react";
import { useEffect, useState } from "react";
import { nameAt, useNames } from "../controls/names.js";
import { Empty, Refusal, Skeleton } from "../controls/notice.js";
import { nameOf, useRecordName } from "../controls/record-link.js";
import { Status } from "../controls/status.js";
import { showArrivals, useArrivals } from "../live/arrivals.js";
import styles from "./network.diagram.module.css";
import { type Entry, layout, type Row, statesText } from "./network.layout.js";
import { databasesQuery, MOST_SERVERS, serversQuery, subnetsQuery } from "./network.queries.js";

type Names = ReturnType<typeof useNames>;
const SHOWN_OF_A_KIND = 200;

/** A network as its zones, with the subnets, servers and databases in each. */
export function Diagram({ network }: { network: Network }) {
  const { account } = useParams({ from: "/$account/networks/$id" });
  const subnets = useQuery({ ...subnetsQuery(network.id), refetchOnMount: "always" });
  const servers = useQuery({ ...serversQuery(network.id), refetchOnMount: "always" });
  const databases = useQuery({ ...databasesQuery(network.id), refetchOnMount: "always" });
  const names = useNames(account, "environments");
  useNewOnes("subnet", network.id, subnets.data?.items);
  useNewOnes("server", network.id, servers.data?.items);
  useNewOnes("database_server", network.id, databases.data?.items);
  const error = subnets.error ?? servers.error ?? databases.error;
  if (error) return <Refusal error={error} onRetry={() => void Promise.all([subnets.refetch(), servers.refetch()])} />;
  if (!subnets.data || !servers.data || !databases.data) return <Skeleton />;
  const zones = layout({
    subnets: subnets.data.items.filter(({ deleted_at }) => !deleted_at),
    servers: servers.data.items.filter(({ deleted_at }) => !deleted_at),
    databases: databases.data.items.filter(({ deleted_at }) => !deleted_at),
  });
  if (zones.length === 0)
    return (
      <Empty title="This network has no subnet yet">
        <p>Servers and databases run in its subnets, one or more in each zone.</p>
        <Link to="." search={{ tab: "subnets" }}>
          Create a subnet
        </Link>
      </Empty>
    );
  return (
    <div className={styles.network}>
      {servers.data.total > servers.data.items.length && (
        <p>{`The newest ${MOST_SERVERS} of ${servers.data.total} servers are shown.`}</p>
      )}
      <ul className={styles.zones} aria-label="Zones">
        {zones.map(({ name, isPublic, isPrivate, databases: own }) => (
          <li key={name} className={styles.zone}>
            <h2>{name}</h2>
            <Rows rows={isPublic} names={names} label={`Public subnets in ${name}`} />
            <Rows rows={isPrivate} names={names} label={`Private subnets in ${name}`} />
            <Databases databases={own} label={`Databases in ${name}`} />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Reads a list again if a record of the network is new: nobody reads a diagram from top to bottom. */
function useNewOnes(type: string, network: string, shown: { id: string | number }[] = []): void {
  const count = useArrivals(type, shown, (record) =>
    Boolean((record as { network?: string | null }).network?.endsWith(`/${network}`)),
  );
  useEffect(() => {
    if (count > 0) showArrivals(type);
  }, [count, type]);
}

function Rows({ rows, names, label }: { rows: Row<Server, Subnet>[]; names: Names; label: string }) {
  if (rows.length === 0) return <div />;
  return (
    <ul aria-label={label} className={styles.subnets}>
      {rows.map(({ subnet, entries, hidden }) => (
        <li key={subnet?.id ?? ""} className={styles.subnet}>
          <p className={styles.title}>
            {subnet?.private ? <Lock aria-hidden /> : <Globe aria-hidden />}
            <span>{subnet ? `${subnet.private ? "private" : "public"} ` : "Subnet is gone"}</span>
            <code>{subnet?.cidr}</code>
          </p>
          {subnet?.nat_gateway && <p className={styles.note}>NAT gateway {subnet.nat_gateway}</p>}
          {entries.length + hidden === 0 && <p className={styles.note}>No servers</p>}
          <ul>
            {entries.map((entry) => (
              <li key={entry.key}>
                <Servers entry={entry} names={names} />
              </li>
            ))}
          </ul>
          {hidden > 0 && <Hidden count={hidden} />}
        </li>
      ))}
    </ul>
  );
}

/** Leads to what a diagram has no room for. */
function Hidden({ count }: { count: number }) {
  const { account, id } = useParams({ from: "/$account/networks/$id" });
  return (
    <Link to="/$account/servers" params={{ account }} search={{ network: id }}>
      {`${count} more are not shown`}
    </Link>
  );
}

function Servers({ entry: { servers }, names }: { entry: Entry<Server>; names: Names }) {
  const [isOpen, setOpen] = useState(false);
  const [first] = servers;
  if (!first) return null;
  const environment = nameAt(names, first.environment);
  if (servers.length === 1) return <OneServer server={first} environment={environment} />;
  return (
    <details className={styles.kind} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <b>{`${first.role} ×${servers.length}`}</b> {environment}: {statesText(servers)}
      </summary>
      {isOpen && (
        <ul>
          {servers.slice(0, SHOWN_OF_A_KIND).map((server) => (
            <li key={server.id}>
              <OneServer server={server} environment={undefined} />
            </li>
          ))}
        </ul>
      )}
      {isOpen && servers.length > SHOWN_OF_A_KIND && <Hidden count={servers.length - SHOWN_OF_A_KIND} />}
    </details>
  );
}

function OneServer({ server, environment }: { server: Server; environment: string | undefined }) {
  const { account } = useParams({ from: "/$account/networks/$id" });
  const { id, role, name, state, disappeared_at, provisioned_id } = server;
  const text = (
    <>
      <span>
        <b>{nameOf({ id, name, role })}</b>
        <small>{[name && role, environment].filter(Boolean).join(" · ")}</small>
      </span>
      <Status state={disappeared_at ? "gone" : state} />
    </>
  );
  return disappeared_at ? (
    <Link
      to="/$account/drift"
      params={{ account }}
      search={provisioned_id ? { provisioned_id } : {}}
      className={styles.server}
    >
      {text}
    </Link>
  ) : (
    <Link to="/$account/servers/$id" params={{ account, id: String(id) }} className={styles.server}>
      {text}
    </Link>
  );
}

function Databases({ databases, label }: { databases: DatabaseServer[]; label: string }) {
  if (databases.length === 0) return <div />;
  return (
    <ul aria-label={label} className={styles.subnets}>
      {databases.map((database) => (
        <li key={database.id} className={styles.subnet}>
          <OneDatabase database={database} />
        </li>
      ))}
    </ul>
  );
}

function OneDatabase({ database }: { database: DatabaseServer }) {
  const { account } = useParams({ from: "/$account/networks/$id" });
  const { id, engine, version, replication_source, database_service, state } = database;
  const name = useRecordName(database_service);
  return (
    <Link to="/$account/database-servers/$id" params={{ account, id }} className={styles.server}>
      <span>
        <b className={styles.title}>
          <Database aria-hidden /> {name}
        </b>
        <small>{`${engine} ${version} · ${replication_source ? "replica" : "master"}`}</small>
      </span>
      <Status state={state} />
    </Link>
  );
}
