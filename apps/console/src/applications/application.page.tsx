import createApplicationKeypair from "operation:createApplicationKeypair";
import deleteApplication from "operation:deleteApplication";
import type { Application, Environment, Keypair } from "@gantry/client";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { KeyRound, Trash2 } from "lucide-react";
import { gantry } from "../api.js";
import { Empty } from "../controls/notice.js";
import { recordsTab } from "../controls/record-list.js";
import { RecordPage } from "../controls/record-page.js";
import type { Column } from "../controls/table.js";
import { Ago } from "../controls/time.js";
import { OperationButton } from "../forms/operation.button.js";
import { sshKeyColumns } from "../forms/ssh-keys.js";

export function Page() {
  const { account, id } = useParams({ from: "/$account/applications/$id" });
  const navigate = useNavigate();
  return (
    <RecordPage<Application>
      type="application"
      path="/applications"
      above={["Applications", "applications"]}
      hasRequests={false}
      titleOf={({ name }) => name}
      facts={({ type, language, repository, created_at }) => [
        ["Type", type],
        ["Language", language],
        ["Repository", <code key="repository">{repository}</code>],
        ["Created", <Ago key="created" at={created_at} />],
      ]}
      acts={({ name }) => (
        <>
          <OperationButton
            account={account}
            operation={createApplicationKeypair}
            ids={[id]}
            act="Add a key"
            icon={<KeyRound aria-hidden />}
          />
          <OperationButton
            account={account}
            operation={deleteApplication}
            ids={[id]}
            act="Remove the application"
            kind="danger"
            icon={<Trash2 aria-hidden />}
            onDone={() => void navigate({ to: "/$account/applications", params: { account } })}
          >
            <p>{name} goes, with its keys. Gantry refuses this as long as an environment runs it.</p>
          </OperationButton>
        </>
      )}
      tabs={() => [
        recordsTab<Keypair>("keys", "Keys", {
          type: "keypair",
          of: ["application", id],
          list: (query, options) => gantry.applications.keypairs(id, query, options),
          columns: sshKeyColumns(account, "Servers of its environments no longer accept this key."),
          empty: (
            <Empty title="This application has no key">
              <p>Servers of its environments accept the keys of their application.</p>
            </Empty>
          ),
        }),
        recordsTab<Environment>("environments", "Environments", {
          type: "environment",
          of: ["application", id],
          list: (query, options) => gantry.applications.environments(id, query, options),
          columns: environments(account),
          empty: <Empty title="No environment runs this application" />,
        }),
      ]}
    />
  );
}

function environments(account: string): Column<Environment>[] {
  return [
    {
      title: "Name",
      cell: ({ id, name }) => (
        <Link to="/$account/environments/$id" params={{ account, id: String(id) }}>
          {name}
        </Link>
      ),
    },
    { title: "Region", isWhole: true, cell: ({ region }) => region },
    { title: "Created", isRight: true, cell: ({ created_at }) => <Ago at={created_at} /> },
  ];
}
