import createDatabaseService from "operation:createDatabaseService";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { type Choices, defaultRegion } from "../controls/choices.js";
import { Refusal, Skeleton } from "../controls/notice.js";
import { ProvisionPage, Select } from "../controls/provision-page.js";
import { OperationForm } from "../forms/operation.form.js";
import { offersQuery } from "./database.queries.js";
import { choicesOf } from "./offers.js";

const FIELDS = [
  "database_service.name",
  "database_server.engine",
  "database_server.version",
  "database_server.flavor",
  "database_server.location",
  "database_server.storage",
  "network",
  "environment",
  "database_server.modifiers.multi_az",
  "database_server.backup_retention_period",
  "database_service.deletion_protection",
  "database_service.tags",
];

export function Page() {
  const { account } = useParams({ from: "/$account/databases/new" });
  const trail = (
    <Link to="/$account/databases" params={{ account }}>
      Databases
    </Link>
  );
  return (
    <ProvisionPage account={account} title="Provision a database" trail={trail}>
      {(provider, regions) => <Offers key={provider} account={account} provider={provider} regions={regions} />}
    </ProvisionPage>
  );
}

/** The form for one of the regions, whose engines, flavors and zones AWS offers. */
function Offers({ account, provider, regions }: { account: string; provider: string; regions: Choices }) {
  const [chosen, choose] = useState<string>();
  const region = chosen ?? defaultRegion(regions);
  const { data: offers, error } = useQuery({
    ...offersQuery(provider, region ?? ""),
    enabled: region !== undefined,
  });
  return (
    <>
      <Select label="Region" value={region ?? ""} options={regions} onChange={choose} />
      <Refusal error={error} />
      {!error && !offers && <Skeleton />}
      {offers && (
        <OperationForm
          key={region}
          account={account}
          operation={createDatabaseService}
          act="Provision the database"
          fixed={{ provider }}
          choices={(values) => choicesOf(offers, values)}
          only={FIELDS}
          labels={{
            "database_server.location": "Zone",
            "database_server.storage": "Storage in GB",
            "database_server.modifiers.multi_az": "A copy in another zone",
            "database_server.backup_retention_period": "Days that backups are kept",
          }}
        />
      )}
    </>
  );
}
