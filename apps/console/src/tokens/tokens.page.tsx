import createAccountServiceToken from "operation:createAccountServiceToken";
import createToken from "operation:createToken";
import deleteServiceToken from "operation:deleteServiceToken";
import deleteToken from "operation:deleteToken";
import type { Token } from "@gantry/client";
import { useParams } from "@tanstack/react-router";
import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { gantry } from "../api.js";
import { Curl } from "../controls/curl.js";
import { Empty } from "../controls/notice.js";
import { type OneTimeSecret, OneTimeSecretDialog } from "../controls/one-time-secret.js";
import { Heading } from "../controls/panel.js";
import { recordsTab } from "../controls/record-list.js";
import type { Column } from "../controls/table.js";
import table from "../controls/table.module.css";
import { Tabs } from "../controls/tabs.js";
import { Ago, Day } from "../controls/time.js";
import { OperationButton } from "../forms/operation.button.js";
import type { Operation } from "../forms/operation.js";

const OWN = ["token.name", "token.scopes", "token.expires_at", "token.cidrs"];
const SERVICE = ["name", "role", "scopes", "expires_at", "cidrs"].map((name) => `service_token.${name}`);

export function Page() {
  const { account } = useParams({ from: "/$account/tokens" });
  const [secret, show] = useState<OneTimeSecret>();
  const onDone = (body: unknown) => {
    const { api_token: value } = body as { api_token: string | null };
    if (value) show({ what: "token", value });
  };
  const labels = { "token.cidrs": "Blocks of addresses", "service_token.cidrs": "Blocks of addresses" };
  const shared = { account, icon: <Plus aria-hidden />, labels, onDone };
  const addOwn = (
    <OperationButton {...shared} operation={createToken} act="Create a token" isMain only={OWN} record={{ name: "" }} />
  );
  const addService = (
    <OperationButton {...shared} operation={createAccountServiceToken} act="Create a service token" only={SERVICE} />
  );
  return (
    <>
      <Heading title="Tokens">
        <Curl path="/tokens" />
        {addService}
        {addOwn}
      </Heading>
      <Tabs
        label="Tokens"
        tabs={[
          recordsTab("own", "Yours", {
            type: "token",
            of: ["own"],
            label: "Your tokens",
            list: (query, options) => gantry.tokens.list(query, options),
            columns: columns(account, deleteToken),
            empty: <Empty title="You have no token yet" />,
          }),
          recordsTab("service", "Of services", {
            type: "token",
            of: ["service", account],
            label: "Service tokens",
            list: (query, options) => gantry.serviceTokens.list({ account, ...query }, options),
            columns: [...columns(account, deleteServiceToken)],
            empty: (
              <Empty title="This account has no service token yet">
                <p>A service token has a role in the account and belongs to no person.</p>
                {addService}
              </Empty>
            ),
          }),
        ]}
      />
      <OneTimeSecretDialog secret={secret} onClose={() => show(undefined)} />
    </>
  );
}

function columns(account: string, revoke: Operation): Column<Token>[] {
  return [
    { title: "Name", cell: ({ name }) => <span className={table.name}>{name}</span> },
    { title: "Scopes", cell: ({ scopes }) => scopes.join(", ") },
    { title: "From", cell: ({ cidrs }) => cidrs.join(", ") || "anywhere" },
    {
      title: "Last used",
      isRight: true,
      cell: ({ last_used_at }) => (last_used_at ? <Ago at={last_used_at} /> : "never"),
    },
    {
      title: "Expires",
      isRight: true,
      cell: ({ expires_at }) => (expires_at ? <Day at={expires_at} /> : "never"),
    },
    {
      title: "Act",
      isRight: true,
      cell: ({ id, name }) => (
        <OperationButton
          account={account}
          operation={revoke}
          ids={[id]}
          act={`Revoke ${name}`}
          kind="danger"
          isSmall
          icon={<Trash2 aria-hidden />}
        >
          <p>Its calls are refused within five seconds. The tokens that were created with it end too.</p>
        </OperationButton>
      ),
    },
  ];
}
