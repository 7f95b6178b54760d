import createServer from "operation:createServer";
import type { Server } from "@gantry/client";
import { Link, useParams } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { gantry } from "../api.js";
import { flavorName } from "../controls/flavor-name.js";
import { nameAt, useNames } from "../controls/names.js";
import { Empty } from "../controls/notice.js";
import { nameOf, RecordLink } from "../controls/record-link.js";
import { RecordList } from "../controls/record-list.js";
import type { Column } from "../controls/table.js";
import table from "../controls/table.module.css";
import { Ago } from "../controls/time.js";
import { OperationButton } from "../forms/operation.button.js";
import { ServerStatus } from "./server-status.js";

const STATES = ["pending", "running", "stopping", "stopped", "error", "terminated"];
const ROLES = ["solo", "app_master", "app", "db_master", "db_slave", "util"];

export function Page() {
  const { account } = useParams({ from: "/$account/servers" });
  const environments = useNames(account, "environments");
  const networks = useNames(account, "networks");
  const create = (
    <OperationButton
      account={account}
      operation={createServer}
      act="Create a server"
      icon={<Plus aria-hidden />}
      isMain
      record={{ role: "app", flavor: "t3.small" }}
      only={[
        "environment",
        "server.role",
        "server.flavor",
        "server.name",
        "server.subnet_id",
        "server.volume_size",
        "server.iam_role_id",
        "server.tags",
      ]}
      labels={{ "server.subnet_id": "Subnet", "server.volume_size": "Size of the data volume in GB" }}
    />
  );
  return (
    <RecordList
      title="Servers"
      type="server"
      of={[account]}
      path={`/servers?account=${account}`}
      list={(query, options) => gantry.servers.list({ account: [account], ...query }, options)}
      columns={columns(account, environments)}
      filters={[
        { name: "q", label: "Name or host" },
        { name: "state", label: "State", choices: STATES.map((state) => [state, state]) },
        { name: "role", label: "Role", choices: ROLES.map((role) => [role, role]) },
        { name: "environment", label: "Environment", choices: environments },
        { name: "network", label: "Network", choices: networks },
      ]}
      acts={create}
      empty={
        <Empty title="This account has no server yet">
          <p>A server runs in an environment. Boot an environment to create all of its servers at once.</p>
          <Link to={"/$account/environments" as string} params={{ account } as never}>
            Environments
          </Link>
        </Empty>
      }
    />
  );
}

function columns(account: string, environments: readonly (readonly [string, string])[]): Column<Server>[] {
  return [
    {
      title: "Name",
      cell: ({ id, name, role }) => (
        <Link className={table.name} to="/$account/servers/$id" params={{ account, id: String(id) }}>
          {nameOf({ id, name, role })}
        </Link>
      ),
    },
    { title: "State", cell: (server) => <ServerStatus server={server} /> },
    { title: "Role", cell: ({ role }) => role },
    {
      title: "Environment",
      cell: ({ environment }) => <RecordLink url={environment} name={nameAt(environments, environment)} />,
    },
    { title: "Flavor", cell: ({ flavor }) => flavorName(flavor) },
    { title: "Zone", isWhole: true, cell: ({ location }) => location },
    { title: "Created", isRight: true, cell: ({ created_at }) => <Ago at={created_at} /> },
  ];
}
