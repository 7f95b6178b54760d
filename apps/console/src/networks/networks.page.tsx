import type { Network } from "@gantry/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ArrowUp, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button } from "../controls/button.js";
import buttons from "../controls/button.module.css";
import { Copy } from "../controls/copy.js";
import { Curl } from "../controls/curl.js";
import { Empty, Refusal, Skeleton } from "../controls/notice.js";
import { Heading, Panel } from "../controls/panel.js";
import { type Column, Paging, Table } from "../controls/table.js";
import { Ago } from "../controls/time.js";
import { forgetArrivals, useArrivals } from "../live/arrivals.js";
import { NetworkRemoval } from "./network.removal.js";
import styles from "./networks.module.css";
import { networksQuery } from "./networks.queries.js";

export function Page() {
  const { account } = useParams({ from: "/$account/networks" });
  const { cursor } = useSearch({ from: "/$account/networks" });
  const navigate = useNavigate({ from: "/$account/networks" });
  const cache = useQueryClient();
  const { data, error, isPending, isPlaceholderData, refetch } = useQuery(networksQuery(account, cursor));
  const arrivals = useArrivals("network", data?.items ?? []);
  const [removed, setRemoved] = useState<Network>();
  const showArrivals = () => {
    forgetArrivals("network");
    void cache.invalidateQueries({ queryKey: ["network", "list"] });
  };
  return (
    <>
      <Heading title="Networks">
        <Curl path={`/networks?account=${account}`} />
        <ProvisionLink account={account} />
      </Heading>
      <Panel>
        {arrivals > 0 && (
          <Button kind="link" className={styles.arrivals} onClick={showArrivals}>
            <ArrowUp aria-hidden /> {arrivals} new
          </Button>
        )}
        {error && <Refusal error={error} onRetry={() => void refetch()} />}
        {isPending && <Skeleton />}
        {data && data.items.length === 0 && (
          <Empty title="This account has no network yet">
            <p>A network is a VPC with a subnet in each zone of a region. Servers and databases run in it.</p>
            <ProvisionLink account={account} />
          </Empty>
        )}
        {data && data.items.length > 0 && (
          <>
            <Table label="Networks" columns={columns(setRemoved)} rows={data.items} isBusy={isPlaceholderData} />
            <Paging
              page={data}
              isLater={cursor !== undefined}
              onFirst={() => void navigate({ search: {} })}
              onNext={(next) => void navigate({ search: { cursor: next } })}
            />
          </>
        )}
      </Panel>
      {removed && <NetworkRemoval account={account} network={removed} onClose={() => setRemoved(undefined)} />}
    </>
  );
}

function ProvisionLink({ account }: { account: string }) {
  return (
    <Link to="/$account/networks/new" params={{ account }} className={`${buttons.button} ${buttons.primary}`}>
      <Plus aria-hidden /> Provision a network
    </Link>
  );
}

function columns(onRemove: (network: Network) => void): Column<Network>[] {
  return [
    { title: "Name", cell: ({ name, cidr }) => <strong>{name ?? cidr}</strong> },
    { title: "Block", cell: ({ cidr }) => <code>{cidr}</code> },
    { title: "State", cell: stateOf },
    { title: "Region", cell: ({ location }) => location },
    {
      title: "VPC",
      cell: ({ provisioned_id: id }) =>
        id ? (
          <span className={styles.id}>
            <code>{id}</code> <Copy text={id} what={`id ${id}`} />
          </span>
        ) : (
          "–"
        ),
    },
    { title: "Created", isRight: true, cell: ({ created_at }) => <Ago at={created_at} /> },
    {
      title: "Acts",
      isRight: true,
      cell: (network) => (
        <Button
          kind="icon"
          aria-label={`Remove the network ${network.name ?? network.cidr}`}
          disabled={network.deleted_at !== null || network.removal_started_at !== null}
          onClick={() => onRemove(network)}
        >
          <Trash2 aria-hidden />
        </Button>
      ),
    },
  ];
}

function stateOf({ deleted_at, removal_started_at, provisioned_id }: Network): string {
  if (deleted_at) return "removed";
  if (removal_started_at) return "being removed";
  return provisioned_id ? "ready" : "being made";
}
