import type { Provider } from "@gantry/client";
import { Link, useParams } from "@tanstack/react-router";
import { gantry } from "../api.js";
import { Id } from "../controls/facts.js";
import { Empty } from "../controls/notice.js";
import { RecordList } from "../controls/record-list.js";
import type { Column } from "../controls/table.js";
import table from "../controls/table.module.css";
import { Ago } from "../controls/time.js";
import { AddProvider } from "./provider-form.js";

export function Page() {
  const { account } = useParams({ from: "/$account/providers" });
  return (
    <RecordList
      title="Providers"
      type="provider"
      of={[account]}
      path={`/accounts/${account}/providers`}
      list={(query, options) => gantry.accounts.providers(account, query, options)}
      columns={columns(account)}
      acts={<AddProvider account={account} />}
      empty={
        <Empty title="This account has no provider yet">
          <p>A provider is an AWS account in which Gantry works.</p>
          <AddProvider account={account} />
        </Empty>
      }
    />
  );
}

function columns(account: string): Column<Provider>[] {
  return [
    {
      title: "Name",
      cell: ({ id, name }) => (
        <Link className={table.name} to="/$account/providers/$id" params={{ account, id: String(id) }}>
          {name ?? `provider ${id}`}
        </Link>
      ),
    },
    { title: "AWS account", cell: ({ provisioned_id }) => <Id id={provisioned_id} /> },
    { title: "Credentials", cell: ({ shared }) => (shared ? "those of the workers" : "its own") },
    { title: "Created", isRight: true, cell: ({ created_at }) => <Ago at={created_at} /> },
  ];
}
