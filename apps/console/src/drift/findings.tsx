import adoptDrift from "operation:adoptDrift";
import removeOrphan from "operation:removeOrphan";
import restoreDrift from "operation:restoreDrift";
import type { Drift } from "@gantry/client";
import { Check, Trash2, Undo2 } from "lucide-react";
import { Id, Tags } from "../controls/facts.js";
import { RecordLink } from "../controls/record-link.js";
import { Mark } from "../controls/state.js";
import type { Column } from "../controls/table.js";
import table from "../controls/table.module.css";
import { Ago } from "../controls/time.js";
import { OperationButton } from "../forms/operation.button.js";
import styles from "./drift.module.css";

const TONES = { changed: "warn", disappeared: "bad", orphan: "idle" } as const;

export function findingColumns(account: string): Column<Drift>[] {
  return [
    { title: "Finding", cell: ({ finding }) => <Mark tone={TONES[finding]}>{finding}</Mark> },
    {
      title: "Object",
      cell: ({ kind, provisioned_id, resource }) => (
        <div>
          {resource ? <RecordLink url={resource} /> : kind.replaceAll("_", " ")} <Id id={provisioned_id} />
        </div>
      ),
    },
    { title: "Before and after", cell: (drift) => <Difference drift={drift} /> },
    { title: "Region", isWhole: true, cell: ({ location }) => location },
    { title: "Found", isRight: true, cell: ({ created_at }) => <Ago at={created_at} /> },
    { title: "Acts", isRight: true, cell: (drift) => <Acts account={account} drift={drift} /> },
  ];
}

/** What the record says and what AWS says, attribute by attribute. */
function Difference({ drift: { before, after, tags, finding } }: { drift: Drift }) {
  if (finding === "orphan") return <Tags tags={tags} />;
  const all = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const names = all.filter((name) => before?.[name] !== after?.[name]);
  if (names.length === 0) return <span className={table.muted}>It is no longer in AWS</span>;
  return (
    <ul className={styles.difference}>
      {names.map((name) => (
        <li key={name}>
          {name.replaceAll("_", " ")}: <del>{before?.[name] ?? "none"}</del> → <ins>{after?.[name] ?? "none"}</ins>
        </li>
      ))}
    </ul>
  );
}

function Acts({ account, drift: { id, finding, kind, provisioned_id } }: { account: string; drift: Drift }) {
  const shared = { account, ids: [id], isSmall: true };
  if (finding === "orphan")
    return (
      <OperationButton
        {...shared}
        operation={removeOrphan}
        act="Remove the orphan"
        kind="danger"
        icon={<Trash2 aria-hidden />}
      >
        <p>
          Gantry removes the {kind.replaceAll("_", " ")} {provisioned_id} from AWS, unless a record refers to it by
          then. This cannot be undone.
        </p>
      </OperationButton>
    );
  if (finding !== "changed") return "–";
  return (
    <span className={table.acts}>
      <OperationButton {...shared} operation={restoreDrift} act="Restore" icon={<Undo2 aria-hidden />}>
        <p>Gantry gives the object in AWS the settings that it had before.</p>
      </OperationButton>
      <OperationButton {...shared} operation={adoptDrift} act="Accept the change" icon={<Check aria-hidden />}>
        <p>The record keeps the values of AWS, and the finding is no longer listed.</p>
      </OperationButton>
    </span>
  );
}
