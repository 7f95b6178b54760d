import type { DatabaseServer, DatabaseService } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { gantry } from "../api.js";
import { Id, Tags } from "../controls/facts.js";
import { RecordLink } from "../controls/record-link.js";
import { RecordPage } from "../controls/record-page.js";
import { Status } from "../controls/status.js";
import { Ago } from "../controls/time.js";
import { DatabaseActs } from "./database.acts.js";
import { databaseTabs } from "./database.tabs.js";

export function Page() {
  const { account, id } = useParams({ from: "/$account/databases/$id" });
  const { data } = useQuery({
    queryKey: ["database_server", "list", "service", id],
    queryFn: ({ signal }) => gantry.databaseServices.servers(id, { per_page: 100 }, { signal }).page(),
  });
  const servers = data?.items ?? [];
  const master = servers.find(({ replication_source }) => replication_source === null);
  return (
    <RecordPage<DatabaseService>
      type="database_service"
      path="/database-services"
      above={["Databases", "databases"]}
      titleOf={({ name }) => name}
      facts={(database) => [
        ["State", stateOf(database, master)],
        ["Endpoint", <Id key="endpoint" id={master?.endpoint} />],
        ["Engine", `${database.engine} ${database.version}`],
        ["Flavor", database.db_master_flavor],
        ["Copy in another zone", database.db_master_multi_az ? "yes" : "no"],
        ["Replicas", String(database.db_replica_count)],
        ["Region", database.location],
        ["Network", <RecordLink key="network" url={database.network} />],
        ["Protection", database.deletion_protection ? "removals are refused" : "none"],
        ["Tags", <Tags key="tags" tags={database.tags} />],
        ["Created", <Ago key="created" at={database.created_at} />],
      ]}
      acts={(database) => <DatabaseActs account={account} database={database} master={master} />}
      tabs={(database) => databaseTabs(account, database, master)}
    />
  );
}

function stateOf({ deleted_at }: DatabaseService, master: DatabaseServer | undefined) {
  if (deleted_at) return <Status state="removed" />;
  return master && <Status state={master.state} />;
}
