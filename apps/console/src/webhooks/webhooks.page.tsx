import createAccountWebhook from "operation:createAccountWebhook";
import type { Webhook } from "@gantry/client";
import { Link, useParams } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { gantry } from "../api.js";
import { Empty } from "../controls/notice.js";
import { type OneTimeSecret, OneTimeSecretDialog } from "../controls/one-time-secret.js";
import { RecordList } from "../controls/record-list.js";
import type { Column } from "../controls/table.js";
import table from "../controls/table.module.css";
import { Ago } from "../controls/time.js";
import { OperationButton } from "../forms/operation.button.js";
import { useReadAgain } from "../live/recent-events.js";
import { secretOf, WebhookState } from "./webhook-state.js";

export function Page() {
  const { account } = useParams({ from: "/$account/webhooks" });
  const [secret, show] = useState<OneTimeSecret>();
  useReadAgain(account, "webhook", ({ type }) => type === "webhook.disabled");
  const add = (
    <OperationButton
      account={account}
      operation={createAccountWebhook}
      act="Add a webhook"
      icon={<Plus aria-hidden />}
      isMain
      labels={{ "webhook.events": "Events" }}
      onDone={(body) => show(secretOf(body))}
    />
  );
  return (
    <>
      <RecordList
        title="Webhooks"
        type="webhook"
        of={[account]}
        path={`/accounts/${account}/webhooks`}
        list={(query, options) => gantry.accounts.webhooks(account, query, options)}
        columns={columns(account)}
        acts={add}
        empty={
          <Empty title="This account has no webhook yet">
            <p>Gantry sends the events of the account to the address of a webhook, signed.</p>
            {add}
          </Empty>
        }
      />
      <OneTimeSecretDialog secret={secret} onClose={() => show(undefined)} />
    </>
  );
}

function columns(account: string): Column<Webhook>[] {
  return [
    {
      title: "Address",
      cell: ({ id, url }) => (
        <Link className={table.name} to="/$account/webhooks/$id" params={{ account, id }}>
          {url}
        </Link>
      ),
    },
    { title: "State", cell: (webhook) => <WebhookState webhook={webhook} /> },
    { title: "Description", cell: ({ description }) => description || "–" },
    { title: "Events", cell: ({ events }) => (events.length === 0 ? "all" : events.join(", ")) },
    { title: "Created", isRight: true, cell: ({ created_at }) => <Ago at={created_at} /> },
  ];
}
