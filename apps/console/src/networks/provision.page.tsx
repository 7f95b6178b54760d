import createNetwork from "operation:createNetwork";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { type Choices, providersQuery, regionsQuery } from "../controls/choices.js";
import { Choice } from "../controls/field.js";
import { Empty, Refusal, Skeleton } from "../controls/notice.js";
import { Heading, Panel } from "../controls/panel.js";
import panels from "../controls/panel.module.css";
import { OperationForm } from "../forms/operation.form.js";

export function Page() {
  const { account } = useParams({ from: "/$account/networks/new" });
  const { data: providers, error } = useQuery(providersQuery(account));
  const [chosen, choose] = useState<string>();
  const provider = chosen ?? providers?.[0]?.[0];
  const { data: regions } = useQuery({ ...regionsQuery(provider ?? ""), enabled: provider !== undefined });
  const trail = (
    <Link to="/$account/networks" params={{ account }}>
      Networks
    </Link>
  );
  return (
    <>
      <Heading title="Provision a network" trail={trail} />
      <Refusal error={error} />
      {!error && !providers && <Skeleton />}
      {providers?.length === 0 && (
        <Panel>
          <Empty title="This account has no provider yet">
            <p>A provider is an AWS account in which Gantry works.</p>
            <Link to="/$account/providers" params={{ account }}>
              Add a provider
            </Link>
          </Empty>
        </Panel>
      )}
      {providers && provider !== undefined && (
        <Panel>
          <div className={panels.form}>
            <Choice label="Provider" value={provider} onChange={(event) => choose(event.target.value)}>
              {providers.map(([id, name]) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Choice>
            {regions && (
              <OperationForm
                key={provider}
                account={account}
                operation={createNetwork}
                act="Provision the network"
                fixed={{ provider }}
                record={{ cidr: "10.0.0.0/16", location: regionFor(regions) }}
                choices={{ "network.location": regions }}
                only={[
                  "network.location",
                  "network.cidr",
                  "network.name",
                  "network.private_subnets",
                  "network.skip_subnets",
                  "network.tags",
                ]}
                labels={{ "network.location": "Region", "network.cidr": "Block of addresses" }}
              />
            )}
          </div>
        </Panel>
      )}
    </>
  );
}

/** The region that a form proposes: the one that most examples are about, if it is offered. */
function regionFor(regions: Choices): string | undefined {
  return (regions.find(([id]) => id === "us-east-1") ?? regions[0])?.[0];
}
