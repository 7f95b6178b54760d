import type { Check } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { gantry } from "../api.js";
import { Empty, Refusal, Skeleton } from "../controls/notice.js";
import { RecordLink } from "../controls/record-link.js";
import { Mark } from "../controls/state.js";
import { type Column, Table } from "../controls/table.js";
import table from "../controls/table.module.css";
import { useReadAgain } from "../live/recent-events.js";
import styles from "./providers.module.css";

const TONES = { ok: "good", warning: "warn", fails: "bad" } as const;
const ORDER = ["fails", "warning", "ok"];

/** The report of the last check of a provider, with what fails first. */
export function LastCheck({ account, provider }: { account: string; provider: string }) {
  useReadAgain(account, "checks", ({ type, record }) => type === "request.finished" && record?.type === CHECK);
  const { data, error } = useQuery({
    queryKey: ["checks", provider],
    queryFn: async ({ signal }) => {
      const request = await gantry.providers.requests(provider, { type: [CHECK], per_page: 1 }, { signal }).first();
      return request ? { request, checks: await gantry.requests.checks(request.id, { signal }) } : null;
    },
  });
  if (error) return <Refusal error={error} />;
  if (data === undefined) return <Skeleton rows={4} />;
  if (data === null) return <Empty title="This provider has not been checked yet" />;
  const { request, checks } = data;
  const rows = checks
    .map((check, row) => ({ id: row, ...check }))
    .sort((one, other) => ORDER.indexOf(one.result) - ORDER.indexOf(other.result));
  return (
    <>
      <p className={styles.source}>
        Reported by <RecordLink url={`/requests/${request.id}`} name="the check" />
        {request.finished_at ? "." : ", which still runs."}
      </p>
      <Table label="Checks" columns={COLUMNS} rows={rows} />
    </>
  );
}

const CHECK = "check_provider";

const COLUMNS: Column<Check & { id: number }>[] = [
  { title: "Check", cell: ({ check, region }) => [check, region].filter(Boolean).join(" · ") },
  { title: "Result", cell: ({ result }) => <Mark tone={TONES[result]}>{result}</Mark> },
  {
    title: "Reason",
    cell: ({ reason, remedy, who }) => (
      <div>
        {reason || "–"}
        {remedy && <p className={table.muted}>{who ? `${who}: ${remedy}` : remedy}</p>}
      </div>
    ),
  },
];
