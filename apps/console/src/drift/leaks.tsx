import retryRequestLeakedResource from "operation:retryRequestLeakedResource";
import type { LeakedResource } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { RotateCw } from "lucide-react";
import { gantry } from "../api.js";
import { Id } from "../controls/facts.js";
import { Empty, Refusal, Skeleton } from "../controls/notice.js";
import { partsOf, RecordLink } from "../controls/record-link.js";
import { type Column, Table } from "../controls/table.js";
import { Ago } from "../controls/time.js";
import { OperationButton } from "../forms/operation.button.js";
import { useReadAgain } from "../live/recent-events.js";

const MOST = 100;

/** What Requests could not remove from AWS. */
export function Leaks({ account }: { account: string }) {
  useReadAgain(account, "leak", ({ type }) => type === "request.leaked" || type === "request.finished");
  const { data, error } = useQuery({
    queryKey: ["leak", "list", account],
    queryFn: async ({ signal }) => {
      const { items } = await gantry.accounts.leakedResources(account, { per_page: MOST }, { signal }).page();
      return items;
    },
  });
  if (error) return <Refusal error={error} />;
  if (!data) return <Skeleton rows={3} />;
  if (data.length === 0)
    return (
      <Empty title="Nothing is left in AWS">
        <p>Here stands what a Request could not remove when it was rolled back.</p>
      </Empty>
    );
  return <Table label="Left in AWS" columns={columns(account)} rows={data} keyOf={(_leak, row) => String(row)} />;
}

function columns(account: string): Column<LeakedResource>[] {
  return [
    { title: "Object", cell: ({ kind }) => kind.replaceAll("_", " ") },
    { title: "AWS id", cell: ({ id }) => <Id id={id} /> },
    { title: "Region", isWhole: true, cell: ({ region }) => region },
    { title: "Request", cell: ({ request }) => <RecordLink url={request} /> },
    { title: "Tries", isRight: true, cell: ({ retries }) => retries },
    { title: "Next try", isRight: true, cell: ({ retry_at }) => (retry_at ? <Ago at={retry_at} /> : "none") },
    {
      title: "Act",
      isRight: true,
      cell: ({ request }) => (
        <OperationButton
          account={account}
          operation={retryRequestLeakedResource}
          ids={[partsOf(request)[1]]}
          act="Remove what is left"
          kind="danger"
          isSmall
          icon={<RotateCw aria-hidden />}
        >
          <p>Gantry tries now to remove from AWS all that this Request left there.</p>
        </OperationButton>
      ),
    },
  ];
}
