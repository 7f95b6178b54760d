import patchProviderLocation from "operation:patchProviderLocation";
import type { ProviderLocation } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { SlidersHorizontal } from "lucide-react";
import { gantry } from "../api.js";
import { Empty, Refusal, Skeleton } from "../controls/notice.js";
import { Mark } from "../controls/state.js";
import { type Column, Table } from "../controls/table.js";
import table from "../controls/table.module.css";
import { OperationButton } from "../forms/operation.button.js";

const MOST = 100;

/** The regions of a provider, with their limits. */
export function Regions({ account, provider }: { account: string; provider: string }) {
  const { data, error } = useQuery({
    queryKey: ["provider_location", "list", provider],
    queryFn: async ({ signal }) => {
      const { body } = await gantry.call("GET", `/providers/${provider}/locations`, {
        query: { per_page: MOST },
        signal,
      });
      return (body as { provider_locations: ProviderLocation[] }).provider_locations
        .filter(({ parent }) => parent === null)
        .sort((one, other) => one.location_id.localeCompare(other.location_id));
    },
  });
  if (error) return <Refusal error={error} />;
  if (!data) return <Skeleton rows={4} />;
  if (data.length === 0) return <Empty title="No region has been discovered yet" />;
  return <Table label="Regions" columns={columns(account)} rows={data} />;
}

function columns(account: string): Column<ProviderLocation>[] {
  return [
    { title: "Region", isWhole: true, cell: ({ location_id }) => <code>{location_id}</code> },
    { title: "Name", cell: ({ location_id, location_name }) => (location_name === location_id ? "–" : location_name) },
    {
      title: "State",
      cell: ({ disabled_at, disabled_reason }) => (
        <>
          {disabled_at ? <Mark tone="bad">disabled</Mark> : <Mark tone="good">enabled</Mark>}
          {disabled_reason && <p className={table.muted}>{disabled_reason}</p>}
        </>
      ),
    },
    { title: "Servers", isRight: true, cell: ({ limits }) => limits.servers ?? "no limit" },
    { title: "Addresses", isRight: true, cell: ({ limits }) => limits.addresses ?? "no limit" },
    {
      title: "Act",
      isRight: true,
      cell: ({ id, location_id, limits }) => (
        <OperationButton
          account={account}
          operation={patchProviderLocation}
          ids={[id]}
          act={`Limit ${location_id}`}
          isSmall
          icon={<SlidersHorizontal aria-hidden />}
          record={limits}
        />
      ),
    },
  ];
}
