import deleteKeypair from "operation:deleteKeypair";
import type { Keypair } from "@gantry/client";
import { Trash2 } from "lucide-react";
import type { Column } from "../controls/table.js";
import table from "../controls/table.module.css";
import { Ago } from "../controls/time.js";
import { OperationButton } from "./operation.button.js";

/** The columns of SSH keys that can be removed; `effect` says what their removal does. */
export function sshKeyColumns(account: string, effect: string): Column<Keypair>[] {
  return [
    { title: "Name", cell: ({ id, name }) => <span className={table.name}>{name ?? `key ${id}`}</span> },
    { title: "Fingerprint", cell: ({ fingerprint }) => <code>{fingerprint}</code> },
    { title: "Added", isRight: true, cell: ({ created_at }) => <Ago at={created_at} /> },
    {
      title: "Act",
      isRight: true,
      cell: ({ id, name }) => (
        <OperationButton
          account={account}
          operation={deleteKeypair}
          ids={[id]}
          act={`Remove ${name ?? `key ${id}`}`}
          kind="danger"
          isSmall
          icon={<Trash2 aria-hidden />}
        >
          <p>{effect}</p>
        </OperationButton>
      ),
    },
  ];
}
