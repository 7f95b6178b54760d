import type { CreateNetworkInput, Request } from "@gantry/client";
import { GantryError } from "@gantry/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { gantry } from "../api.js";
import { Button } from "../controls/button.js";
import { Curl } from "../controls/curl.js";
import { Check, Choice, Field } from "../controls/field.js";
import { Empty, Refusal, Skeleton } from "../controls/notice.js";
import { Heading, Panel } from "../controls/panel.js";
import { costText, PlanText } from "../controls/plan.js";
import styles from "./networks.module.css";
import { providersQuery, regionsQuery } from "./networks.queries.js";

interface Given {
  provider?: number | undefined;
  location?: string | undefined;
  cidr: string;
  name: string;
  isPrivate: boolean;
}

export function Page() {
  const { account } = useParams({ from: "/$account/networks/new" });
  const [given, setGiven] = useState<Given>({ cidr: "10.0.0.0/16", name: "", isPrivate: false });
  const { data: providers, error } = useQuery(providersQuery(account));
  const provider = given.provider ?? providers?.items[0]?.id;
  const trail = (
    <Link to="/$account/networks" params={{ account }}>
      Networks
    </Link>
  );
  return (
    <>
      <Heading title="Provision a network" trail={trail} />
      {error && <Refusal error={error} />}
      {!error && !providers && <Skeleton />}
      {providers?.items.length === 0 && (
        <Panel>
          <Empty title="This account has no provider yet">
            <p>A provider is an AWS account in which Gantry works. The API adds one; the page is yet to come.</p>
            <a href="/docs#createAccountProvider">How to add a provider</a>
          </Empty>
        </Panel>
      )}
      {providers && provider !== undefined && (
        <Form
          account={account}
          provider={provider}
          given={given}
          onChange={(change) => setGiven({ ...given, ...change })}
          choices={providers.items.map(({ id, name, provisioned_id }) => [
            id,
            name ?? provisioned_id ?? `provider ${id}`,
          ])}
        />
      )}
    </>
  );
}

interface FormProps {
  account: string;
  provider: number;
  given: Given;
  onChange: (change: Partial<Given>) => void;
  choices: [id: number, name: string][];
}

function Form({ account, provider, given, onChange, choices }: FormProps) {
  const { data: regions } = useQuery(regionsQuery(provider));
  const [key] = useState(() => crypto.randomUUID());
  const navigate = useNavigate();
  const location = given.location ?? regions?.[0]?.location_id ?? "us-east-1";
  const input: CreateNetworkInput = {
    provider,
    network: {
      cidr: given.cidr.trim(),
      location,
      ...(given.name.trim() && { name: given.name.trim() }),
      ...(given.isPrivate && { private_subnets: true }),
    },
  };
  const text = JSON.stringify(input);
  const planning = useMutation({
    mutationFn: async (input: CreateNetworkInput) => ({
      plan: await gantry.networks.create.plan(input),
      text: JSON.stringify(input),
    }),
  });
  const making = useMutation({
    mutationFn: (input: CreateNetworkInput) => gantry.call("POST", "/networks", { body: input, idempotencyKey: key }),
    onSuccess: ({ body }) => {
      const { id } = (body as { request: Request }).request;
      void navigate({ to: "/$account/requests/$request", params: { account, request: id } });
    },
  });
  // A plan of other values is not that of the form.
  const plan = planning.data?.text === text ? planning.data.plan : undefined;
  const refused = making.error ?? planning.error;
  const details = refused instanceof GantryError ? refused.details : [];
  const refusalOf = (path: string) => details.find((detail) => detail.path === path)?.message;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (plan) making.mutate(input);
    else planning.mutate(input);
  };
  return (
    <div className={styles.columns}>
      <Panel>
        <form className={styles.form} onSubmit={submit}>
          <Choice
            label="Provider"
            value={provider}
            onChange={(event) => onChange({ provider: Number(event.target.value), location: undefined })}
          >
            {choices.map(([id, name]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Choice>
          <Choice
            label="Region"
            value={location}
            refusal={refusalOf("network.location")}
            onChange={(event) => onChange({ location: event.target.value })}
          >
            {(regions ?? [{ location_id: location, location_name: location }]).map(({ location_id, location_name }) => (
              <option key={location_id} value={location_id}>
                {location_id === location_name ? location_id : `${location_id} · ${location_name}`}
              </option>
            ))}
          </Choice>
          <Field
            label="Block of addresses"
            hint="In CIDR notation; /16 leaves room for 65,536 addresses"
            value={given.cidr}
            required
            refusal={refusalOf("network.cidr")}
            onChange={(event) => onChange({ cidr: event.target.value })}
          />
          <Field
            label="Name"
            hint="Optional: the tag Name in AWS"
            value={given.name}
            refusal={refusalOf("network.name")}
            onChange={(event) => onChange({ name: event.target.value })}
          />
          <Check
            label="Private subnets"
            hint="With a NAT gateway, for which AWS charges"
            checked={given.isPrivate}
            onChange={(event) => onChange({ isPrivate: event.target.checked })}
          />
          <Refusal error={refused} />
          <div className={styles.acts}>
            <Button kind="primary" type="submit" isBusy={planning.isPending || making.isPending}>
              {plan ? `Provision the network${costText(plan)}` : "Show the plan"}
            </Button>
            <Curl method="POST" path="/networks" body={input} />
          </div>
        </form>
      </Panel>
      <Panel title="Plan">
        {plan ? (
          <PlanText plan={plan} className={styles.plan} warning={styles.warning} sum={styles.sum} />
        ) : (
          <Empty title="Nothing is made before you have seen its plan">
            <p>“Show the plan” lists what would be made in AWS and what it would cost.</p>
          </Empty>
        )}
      </Panel>
    </div>
  );
}
