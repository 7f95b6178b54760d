import type { Firewall } from "@gantry/client";
import { Link, useParams } from "@tanstack/react-router";
import { gantry } from "../api.js";
import { Id } from "../controls/facts.js";
import { nameAt, useNames } from "../controls/names.js";
import { Empty } from "../controls/notice.js";
import { RecordLink } from "../controls/record-link.js";
import { RecordList } from "../controls/record-list.js";
import { Status, stateOf } from "../controls/status.js";
import type { Column } from "../controls/table.js";
import table from "../controls/table.module.css";
import { Ago } from "../controls/time.js";

export function Page() {
  const { account } = useParams({ from: "/$account/firewalls" });
  const environments = useNames(account, "environments");
  return (
    <RecordList
      title="Firewalls"
      type="firewall"
      of={[account]}
      path={`/firewalls?account=${account}`}
      list={(query, options) => gantry.firewalls.list({ account: [account], ...query }, options)}
      columns={columns(account, environments)}
      filters={[{ name: "q", label: "Name" }]}
      empty={
        <Empty title="This account has no firewall yet">
          <p>Gantry creates a firewall, a security group, with each environment and each database.</p>
          <Link to={"/$account/environments" as string} params={{ account } as never}>
            Environments
          </Link>
        </Empty>
      }
    />
  );
}

function columns(account: string, environments: readonly (readonly [string, string])[]): Column<Firewall>[] {
  return [
    {
      title: "Name",
      cell: ({ id, name }) => (
        <Link className={table.name} to="/$account/firewalls/$id" params={{ account, id: String(id) }}>
          {name}
        </Link>
      ),
    },
    { title: "State", cell: (firewall) => <Status state={stateOf(firewall)} /> },
    {
      title: "Protects",
      cell: ({ environment, database_service }) =>
        environment ? (
          <RecordLink url={environment} name={nameAt(environments, environment)} />
        ) : (
          <RecordLink url={database_service} />
        ),
    },
    { title: "Region", isWhole: true, cell: ({ location }) => location },
    { title: "Security group", cell: ({ provisioned_id }) => <Id id={provisioned_id} /> },
    { title: "Created", isRight: true, cell: ({ created_at }) => <Ago at={created_at} /> },
  ];
}
