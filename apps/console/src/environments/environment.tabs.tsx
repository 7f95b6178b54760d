import deleteBlueprint from "operation:deleteBlueprint";
import patchBlueprint from "operation:patchBlueprint";
import type { Application, Blueprint, DatabaseService, Environment, Keypair, Server } from "@gantry/client";
import { Link } from "@tanstack/react-router";
import { Pencil, Trash2 } from "lucide-react";
import { gantry } from "../api.js";
import { Id } from "../controls/facts.js";
import { flavorName } from "../controls/flavor-name.js";
import { Empty } from "../controls/notice.js";
import { RecordLink } from "../controls/record-link.js";
import { recordsTab } from "../controls/record-list.js";
import { Status } from "../controls/status.js";
import type { Column } from "../controls/table.js";
import type { Tab } from "../controls/tabs.js";
import { Ago } from "../controls/time.js";
import { OperationButton } from "../forms/operation.button.js";
import { EnvironmentSettings } from "./environment.settings.js";
import { rolesText } from "./environment.state.js";

/** The parts of an environment. */
export function environmentTabs(account: string, environment: Environment): Tab[] {
  const { id } = environment;
  const of = ["environment", id];
  return [
    recordsTab<Server>("servers", "Servers", {
      type: "server",
      of,
      list: (query, options) => gantry.environments.servers(id, query, options),
      columns: SERVERS,
      empty: (
        <Empty title="This environment has no servers">
          {!environment.deleted_at && (
            <Link to="/$account/environments/$id/boot" params={{ account, id: String(id) }}>
              Boot servers
            </Link>
          )}
        </Empty>
      ),
    }),
    recordsTab<DatabaseService>("databases", "Databases", {
      type: "database_service",
      of,
      list: (query, options) => gantry.environments.databaseServices(id, query, options),
      columns: DATABASES,
      empty: (
        <Empty title="Its servers connect to no database">
          <Link to="/$account/databases/new" params={{ account }}>
            Provision a database
          </Link>
        </Empty>
      ),
    }),
    recordsTab<Application>("applications", "Applications", {
      type: "application",
      of,
      list: (query, options) => gantry.environments.applications(id, query, options),
      columns: applications(account),
      empty: <Empty title="It runs no application" />,
    }),
    recordsTab<Keypair>("keys", "SSH keys", {
      type: "keypair",
      of,
      list: (query, options) => gantry.environments.keypairs(id, query, options),
      columns: KEYS,
      empty: <Empty title="Its servers accept no SSH key of a person" />,
    }),
    recordsTab<Blueprint>("blueprints", "Blueprints", {
      type: "blueprint",
      of,
      list: (query, options) => gantry.environments.blueprints(id, query, options),
      columns: blueprints(account),
      empty: <Empty title="No blueprint was saved from this environment" />,
    }),
    ["settings", "Settings", <EnvironmentSettings key="settings" environment={environment} />],
  ];
}

const SERVERS: Column<Server>[] = [
  {
    title: "Server",
    cell: ({ id, name }) => <RecordLink url={`${location.origin}/servers/${id}`} name={name ?? `server ${id}`} />,
  },
  { title: "Role", cell: ({ role }) => role.replaceAll("_", " ") },
  { title: "State", cell: ({ state, disappeared_at }) => <Status state={disappeared_at ? "gone" : state} /> },
  { title: "Flavor", cell: ({ flavor }) => flavorName(flavor) },
  { title: "Zone", isWhole: true, cell: ({ location }) => location },
  { title: "Instance", cell: ({ provisioned_id }) => <Id id={provisioned_id} /> },
];

const DATABASES: Column<DatabaseService>[] = [
  {
    title: "Database",
    cell: ({ id, name }) => <RecordLink url={`${location.origin}/database-services/${id}`} name={name} />,
  },
  { title: "Engine", cell: ({ engine, version }) => `${engine} ${version}` },
  { title: "Flavor", cell: ({ db_master_flavor }) => db_master_flavor },
];

function applications(account: string): Column<Application>[] {
  return [
    {
      title: "Application",
      cell: ({ id, name }) => (
        <Link to="/$account/applications/$id" params={{ account, id: String(id) }}>
          {name}
        </Link>
      ),
    },
    { title: "Repository", cell: ({ repository }) => <code>{repository}</code> },
    { title: "Type", cell: ({ type }) => type },
  ];
}

const KEYS: Column<Keypair>[] = [
  { title: "Name", cell: ({ id, name }) => name ?? `key ${id}` },
  { title: "Belongs to", cell: ({ application }) => (application ? "the application" : "a person") },
  { title: "Fingerprint", cell: ({ fingerprint }) => <code>{fingerprint}</code> },
  { title: "Created", isRight: true, cell: ({ created_at }) => <Ago at={created_at} /> },
];

function blueprints(account: string): Column<Blueprint>[] {
  return [
    { title: "Name", cell: ({ name }) => name },
    { title: "Servers", cell: ({ servers }) => rolesText(servers) },
    { title: "Created", cell: ({ created_at }) => <Ago at={created_at} /> },
    {
      title: "Acts",
      isRight: true,
      cell: (blueprint) => (
        <span>
          <OperationButton
            account={account}
            operation={patchBlueprint}
            ids={[blueprint.id]}
            act={`Rename ${blueprint.name}`}
            isSmall
            icon={<Pencil aria-hidden />}
            record={blueprint}
          />
          <OperationButton
            account={account}
            operation={deleteBlueprint}
            ids={[blueprint.id]}
            act={`Remove ${blueprint.name}`}
            isSmall
            kind="danger"
            icon={<Trash2 aria-hidden />}
          >
            <p>The blueprint goes. Servers and groups that were made from it stay as they are.</p>
          </OperationButton>
        </span>
      ),
    },
  ];
}
