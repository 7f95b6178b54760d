import createNetwork from "operation:createNetwork";
import { Link, useParams } from "@tanstack/react-router";
import { defaultRegion } from "../controls/choices.js";
import { ProvisionPage } from "../controls/provision-page.js";
import { OperationForm } from "../forms/operation.form.js";

export function Page() {
  const { account } = useParams({ from: "/$account/networks/new" });
  const trail = (
    <Link to="/$account/networks" params={{ account }}>
      Networks
    </Link>
  );
  return (
    <ProvisionPage account={account} title="Provision a network" trail={trail}>
      {(provider, regions) => (
        <OperationForm
          key={provider}
          account={account}
          operation={createNetwork}
          act="Provision the network"
          fixed={{ provider }}
          record={{ cidr: "10.0.0.0/16", location: defaultRegion(regions) }}
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
    </ProvisionPage>
  );
}
