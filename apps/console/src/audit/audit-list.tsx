import type { AuditRecord, Pages, User } from "@gantry/client";
import { Download } from "lucide-react";
import { Fragment } from "react";
import buttons from "../controls/button.module.css";
import { Empty } from "../controls/notice.js";
import { Heading, Panel } from "../controls/panel.js";
import panels from "../controls/panel.module.css";
import { partsOf, RecordLink } from "../controls/record-link.js";
import { type ListQuery, RecordList } from "../controls/record-list.js";
import type { Column } from "../controls/table.js";
import table from "../controls/table.module.css";
import { Ago } from "../controls/time.js";
import { ReasonForm, useStaffReason } from "../session/staff-reason.js";

interface AuditListProps {
  title: string;
  account: string;
  of: string[];
  path: string;
  list: (query: ListQuery, options: { signal: AbortSignal }) => Pages<AuditRecord>;
  people?: Map<string, User> | undefined;
}

/** Who did what and when, with the reasons of the staff. */
export function AuditList({ title, account, of, path, list, people }: AuditListProps) {
  const staff = useStaffReason(account);
  if (staff && !staff.reason)
    return (
      <>
        <Heading title={title} />
        <Panel>
          <div className={panels.form}>
            <ReasonForm account={account} />
          </div>
        </Panel>
      </>
    );
  return (
    <RecordList
      title={title}
      type="audit_record"
      of={of}
      path={path}
      list={list}
      columns={columns(people)}
      acts={
        // The browser sends no header with a download, so staff in another account exports with curl.
        !staff && (
          <a className={buttons.button} href={`${path}/export`} download="audit.ndjson">
            <Download aria-hidden /> Export as NDJSON
          </a>
        )
      }
      filters={[
        { name: "user", label: "Person", choices: people && [...people.values()].map(({ id, name }) => [id, name]) },
        { name: "subject", label: "Subject, such as network/3" },
        { name: "action", label: "Action" },
        { name: "since", label: "Since", isTime: true },
        { name: "until", label: "Until", isTime: true },
      ]}
      empty={<Empty title="Nothing is on record yet" />}
    />
  );
}

function columns(people: Map<string, User> | undefined): Column<AuditRecord>[] {
  return [
    {
      title: "Action",
      cell: ({ action, reason }) => (
        <>
          <code>
            {action.split("/").map((word, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the words have nothing else
              <Fragment key={place}>
                {place > 0 && "/"}
                <wbr />
                {word}
              </Fragment>
            ))}
          </code>
          {reason && <p className={table.muted}>Reason: {reason}</p>}
        </>
      ),
    },
    { title: "Person", cell: ({ user }) => (user ? (people?.get(partsOf(user)[1])?.name ?? shortId(user)) : "–") },
    { title: "Subject", cell: ({ subject }) => subject ?? "–" },
    { title: "Request", cell: ({ request }) => (request ? <RecordLink url={request} /> : "–") },
    { title: "Status", isRight: true, cell: ({ status }) => status },
    { title: "From", cell: ({ ip_address }) => ip_address ?? "–" },
    { title: "At", isRight: true, cell: ({ created_at }) => <Ago at={created_at} /> },
  ];
}

function shortId(url: string): string {
  return partsOf(url)[1].slice(-8);
}
