import createDatabaseService from "operation:createDatabaseService";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { type Choices, providersQuery, regionsQuery } from "../controls/choices.js";
import { Choice } from "../controls/field.js";
import { Empty, Refusal, Skeleton } from "../controls/notice.js";
import { Heading, Panel } from "../controls/panel.js";
import panels from "../controls/panel.module.css";
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
  const { data: providers, error } = useQuery(providersQuery(account));
  const [chosen, choose] = useState<string>();
  const provider = chosen ?? providers?.[0]?.[0];
  const { data: regions } = useQuery({ ...regionsQuery(provider ?? ""), enabled: provider !== undefined });
  const [chosenRegion, chooseRegion] = useState<string>();
  const region = chosenRegion ?? regions?.[0]?.[0];
  const { data: offers, error: failed } = useQuery({
    ...offersQuery(provider ?? "", region ?? ""),
    enabled: provider !== undefined && region !== undefined,
  });
  const trail = (
    <Link to="/$account/databases" params={{ account }}>
      Databases
    </Link>
  );
  return (
    <>
      <Heading title="Provision a database" trail={trail} />
      <Refusal error={error ?? failed} />
      {!error && !providers && <Skeleton />}
      {providers?.length === 0 && (
        <Panel>
          <Empty title="This account has no provider yet">
            <Link to="/$account/providers" params={{ account }}>
              Add a provider
            </Link>
          </Empty>
        </Panel>
      )}
      {providers && provider !== undefined && (
        <Panel>
          <div className={panels.form}>
            <Select label="Provider" value={provider} options={providers} onChange={choose} />
            {regions && <Select label="Region" value={region ?? ""} options={regions} onChange={chooseRegion} />}
            {offers && (
              <OperationForm
                key={`${provider} ${region}`}
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
          </div>
        </Panel>
      )}
    </>
  );
}

interface SelectProps {
  label: string;
  value: string;
  options: Choices;
  onChange: (value: string) => void;
}

function Select({ label, value, options, onChange }: SelectProps) {
  return (
    <Choice label={label} value={value} onChange={(event) => onChange(event.target.value)}>
      {options.map(([id, name]) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Choice>
  );
}
