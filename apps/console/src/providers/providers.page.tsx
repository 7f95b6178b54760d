import createAccountProvider from "operation:createAccountProvider";
import type { Provider } from "@gantry/client";
import { useParams } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { gantry } from "../api.js";
import { Id } from "../controls/facts.js";
import { Empty } from "../controls/notice.js";
import { RecordList } from "../controls/record-list.js";
import type { Column } from "../controls/table.js";
import { Ago } from "../controls/time.js";
import { OperationButton } from "../forms/operation.button.js";

export function Page() {
  const { account } = useParams({ from: "/$account/providers" });
  const add = (
    <OperationButton
      account={account}
      operation={createAccountProvider}
      act="Add a provider"
      icon={<Plus aria-hidden />}
      fixed={{ "provider.type": "aws" }}
    />
  );
  return (
    <RecordList
      title="Providers"
      type="provider"
      of={[account]}
      path={`/accounts/${account}/providers`}
      list={(query, options) => gantry.accounts.providers(account, query, options)}
      columns={columns(account)}
      acts={add}
      empty={
        <Empty title="This account has no provider yet">
          <p>A provider is an AWS account in which Gantry works.</p>
          {add}
        </Empty>
      }
    />
  );
}

function columns(_account: string): Column<Provider>[] {
  return [
    { title: "Name", cell: ({ id, name }) => name ?? `provider ${id}` },
    { title: "AWS account", cell: ({ provisioned_id }) => <Id id={provisioned_id} /> },
    { title: "Created", isRight: true, cell: ({ created_at }) => <Ago at={created_at} /> },
  ];
}
