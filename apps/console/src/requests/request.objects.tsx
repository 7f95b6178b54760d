import type { CloudObject, Request } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { Id } from "../controls/facts.js";
import { Empty, Refusal, Skeleton } from "../controls/notice.js";
import { type Column, Table } from "../controls/table.js";
import { Clock } from "../controls/time.js";
import { childrenQuery, MOST_PARTS, objectsQuery } from "./requests.queries.js";

const time = (at: string | null) => (at ? <Clock at={at} /> : "–");

const COLUMNS: Column<CloudObject>[] = [
  { title: "Object", cell: ({ kind, key }) => `${kind.replaceAll("_", " ")} ${key}` },
  { title: "AWS id", cell: ({ id }) => <Id id={id} /> },
  { title: "Region", isWhole: true, cell: ({ region }) => region },
  { title: "Attempted", isRight: true, cell: ({ attempted_at }) => time(attempted_at) },
  { title: "Ready", isRight: true, cell: ({ ready_at }) => time(ready_at) },
  { title: "Removed", isRight: true, cell: ({ removed_at }) => time(removed_at) },
];

/** The ledger: one row for each object that the Request creates in AWS. */
export function CloudObjects({ request }: { request: Request }) {
  const { data, error } = useQuery(objectsQuery(request.id));
  const { data: children } = useQuery(childrenQuery(request.id));
  if (error) return <Refusal error={error} />;
  if (!data) return <Skeleton rows={3} />;
  if (data.length === 0)
    return (
      <Empty title={request.finished_at ? "It made nothing in AWS" : "It has not made anything in AWS yet"}>
        {children && children.items.length > 0 && <p>Its child Requests show what they made.</p>}
      </Empty>
    );
  return (
    <>
      <Table label="AWS objects" columns={COLUMNS} rows={data} keyOf={(_object, row) => `${row}`} />
      {data.length >= MOST_PARTS && <Empty title={`Only the first ${MOST_PARTS.toLocaleString("en")} are shown`} />}
    </>
  );
}
