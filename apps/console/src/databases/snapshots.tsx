import deleteDatabaseServerSnapshot from "operation:deleteDatabaseServerSnapshot";
import type { DatabaseServerSnapshot } from "@gantry/client";
import { Trash2 } from "lucide-react";
import { Id } from "../controls/facts.js";
import { Status } from "../controls/status.js";
import type { Column } from "../controls/table.js";
import { Ago } from "../controls/time.js";
import { OperationButton } from "../forms/operation.button.js";

/** The columns of a list of snapshots of database servers. */
export function snapshotColumns(account: string): Column<DatabaseServerSnapshot>[] {
  return [
    { title: "Name", cell: ({ name }) => name },
    { title: "State", cell: ({ state }) => <Status state={state} /> },
    { title: "Storage", isRight: true, cell: ({ storage }) => `${storage} GB` },
    { title: "Engine", cell: ({ engine, version }) => `${engine} ${version}` },
    { title: "Snapshot in AWS", cell: ({ provisioned_id }) => <Id id={provisioned_id} /> },
    { title: "Created", isRight: true, cell: ({ created_at }) => <Ago at={created_at} /> },
    {
      title: "Acts",
      isRight: true,
      cell: ({ id, name }) => (
        <OperationButton
          account={account}
          operation={deleteDatabaseServerSnapshot}
          ids={[id]}
          act={`Remove ${name}`}
          isSmall
          kind="danger"
          icon={<Trash2 aria-hidden />}
        >
          <p>The snapshot goes from AWS. The database stays.</p>
        </OperationButton>
      ),
    },
  ];
}
