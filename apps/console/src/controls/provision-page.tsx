import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { type Choices, providersQuery, regionsQuery } from "./choices.js";
import { Choice } from "./field.js";
import { Empty, Refusal, Skeleton } from "./notice.js";
import { Heading, Panel } from "./panel.js";
import panels from "./panel.module.css";

interface ProvisionPageProps {
  account: string;
  title: string;
  trail: ReactNode;
  /** The rest of the form, for the provider that is chosen and its regions. */
  children: (provider: string, regions: Choices) => ReactNode;
}

/** A page that provisions something in AWS. It begins with the choice of a provider, of which most accounts have one. */
export function ProvisionPage({ account, title, trail, children }: ProvisionPageProps) {
  const { data: providers, error } = useQuery(providersQuery(account));
  const [chosen, choose] = useState<string>();
  const provider = chosen ?? providers?.[0]?.[0];
  const { data: regions } = useQuery({ ...regionsQuery(provider ?? ""), enabled: provider !== undefined });
  return (
    <>
      <Heading title={title} trail={trail} />
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
            <Select label="Provider" value={provider} options={providers} onChange={choose} />
            {regions && children(provider, regions)}
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

/** A choice of which one is always taken. */
export function Select({ label, value, options, onChange }: SelectProps) {
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
