import type { DatabaseService } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { gantry } from "../api.js";
import buttons from "../controls/button.module.css";
import { Empty } from "../controls/notice.js";
import { RecordLink } from "../controls/record-link.js";
import { RecordList } from "../controls/record-list.js";
import type { Column } from "../controls/table.js";
import table from "../controls/table.module.css";
import { Ago } from "../controls/time.js";
import { environmentsQuery } from "./database.queries.js";

export function Page() {
  const { account } = useParams({ from: "/$account/databases" });
  const { data: environments } = useQuery({ ...environmentsQuery(account), placeholderData: [] });
  const provision = (
    <Link to="/$account/databases/new" params={{ account }} className={`${buttons.button} ${buttons.primary}`}>
      <Plus aria-hidden /> Provision a database
    </Link>
  );
  return (
    <RecordList
      title="Databases"
      type="database_service"
      of={[account]}
      path={`/accounts/${account}/database_services`}
      list={(query, options) => gantry.accounts.databaseServices(account, query, options)}
      columns={columns(account)}
      filters={[
        { name: "q", label: "Name" },
        { name: "environment", label: "Environment", choices: environments },
      ]}
      acts={provision}
      empty={
        <Empty title="This account has no database yet">
          <p>A database is a master in RDS, with replicas if you want them, a firewall and credentials.</p>
          {provision}
        </Empty>
      }
    />
  );
}

function columns(account: string): Column<DatabaseService>[] {
  return [
    {
      title: "Name",
      cell: ({ id, name }) => (
        <Link className={table.name} to="/$account/databases/$id" params={{ account, id }}>
          {name}
        </Link>
      ),
    },
    { title: "Engine", cell: ({ engine, version }) => `${engine} ${version}` },
    { title: "Flavor", cell: ({ db_master_flavor }) => db_master_flavor },
    { title: "Replicas", isRight: true, cell: ({ db_replica_count }) => db_replica_count },
    { title: "Region", isWhole: true, cell: ({ location }) => location },
    { title: "Network", cell: ({ network }) => <RecordLink url={network} /> },
    { title: "Created", isRight: true, cell: ({ created_at }) => <Ago at={created_at} /> },
  ];
}
