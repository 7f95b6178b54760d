import scanAccountDrift from "operation:scanAccountDrift";
import type { Drift, DriftPlace } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { ScanSearch } from "lucide-react";
import { gantry } from "../api.js";
import { Curl } from "../controls/curl.js";
import { Empty, Refusal, Skeleton } from "../controls/notice.js";
import { Heading } from "../controls/panel.js";
import { recordsTab } from "../controls/record-list.js";
import { type Column, Table } from "../controls/table.js";
import { Tabs } from "../controls/tabs.js";
import { Ago } from "../controls/time.js";
import { OperationButton } from "../forms/operation.button.js";
import { useReadAgain } from "../live/recent-events.js";
import { findingColumns } from "./findings.js";
import { Leaks } from "./leaks.js";

const FINDINGS = ["changed", "disappeared", "orphan"].map((finding) => [finding, finding] as const);

export function Page() {
  const { account } = useParams({ from: "/$account/drift" });
  useReadAgain(
    account,
    "drift",
    ({ type, record }) =>
      type === "drift.found" || (type === "request.finished" && /drift|orphan/.test(String(record?.type))),
  );
  return (
    <>
      <Heading title="Drift">
        <OperationButton
          account={account}
          operation={scanAccountDrift}
          act="Scan now"
          icon={<ScanSearch aria-hidden />}
        >
          <p>Gantry compares AWS with its records in every region in use. It changes nothing in AWS.</p>
        </OperationButton>
        <Curl path={`/accounts/${account}/drift`} />
      </Heading>
      <Tabs
        label="Drift"
        tabs={[
          recordsTab<Drift>("findings", "Findings", {
            type: "drift",
            of: [account],
            list: (query, options) => gantry.drift.list({ account, ...query }, options),
            columns: findingColumns(account),
            filters: [
              { name: "provisioned_id", label: "Exact AWS id" },
              { name: "finding", label: "Finding", choices: FINDINGS },
            ],
            empty: (
              <Empty title="Nothing differs">
                <p>At the last scan, AWS was as Gantry's records say.</p>
              </Empty>
            ),
          }),
          ["leaks", "Left in AWS", <Leaks key="leaks" account={account} />],
          ["regions", "Regions", <Places key="regions" account={account} />],
        ]}
      />
    </>
  );
}

function Places({ account }: { account: string }) {
  const { data, error } = useQuery({
    queryKey: ["drift", "places", account],
    queryFn: async ({ signal }) => {
      const { body } = await gantry.drift.list({ account, per_page: 1 }, { signal }).page();
      return (body as { places: DriftPlace[] }).places.map((place) => ({
        id: place.provider + place.location,
        ...place,
      }));
    },
  });
  if (error) return <Refusal error={error} />;
  if (!data) return <Skeleton rows={4} />;
  if (data.length === 0) return <Empty title="No region is in use yet" />;
  return <Table label="Regions" columns={PLACES} rows={data} />;
}

const PLACES: Column<DriftPlace & { id: string }>[] = [
  { title: "Region", isWhole: true, cell: ({ location }) => <code>{location}</code> },
  {
    title: "Last scan",
    cell: ({ last_looked_at }) => (last_looked_at ? <Ago at={last_looked_at} /> : "not yet"),
  },
  { title: "Incomplete since", cell: ({ message }) => message ?? "–" },
  { title: "Left out", cell: ({ left_out }) => left_out.join(", ") || "–" },
];
