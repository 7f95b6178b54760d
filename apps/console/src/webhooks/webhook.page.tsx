import deleteWebhook from "operation:deleteWebhook";
import patchWebhook from "operation:patchWebhook";
import pingWebhook from "operation:pingWebhook";
import rotateWebhookSecret from "operation:rotateWebhookSecret";
import type { Webhook } from "@gantry/client";
import { useNavigate, useParams } from "@tanstack/react-router";
import { Pencil, Power, RefreshCw, Send, Trash2 } from "lucide-react";
import { useState } from "react";
import { type OneTimeSecret, OneTimeSecretDialog } from "../controls/one-time-secret.js";
import { RecordPage } from "../controls/record-page.js";
import { Ago } from "../controls/time.js";
import { OperationButton } from "../forms/operation.button.js";
import { useReadAgain } from "../live/recent-events.js";
import { Deliveries } from "./deliveries.js";
import { secretOf, WebhookState } from "./webhook-state.js";

const CHANGED = ["webhook.url", "webhook.description", "webhook.events"];

export function Page() {
  const { account } = useParams({ from: "/$account/webhooks/$id" });
  const navigate = useNavigate();
  const [secret, show] = useState<OneTimeSecret>();
  useReadAgain(account, "webhook", ({ type }) => type === "webhook.disabled");
  return (
    <>
      <RecordPage<Webhook>
        type="webhook"
        path="/webhooks"
        above={["Webhooks", "webhooks"]}
        hasRequests={false}
        titleOf={({ description, url }) => description || url}
        facts={(webhook) => [
          ["State", <WebhookState key="state" webhook={webhook} />],
          ["Reason", webhook.disabled_reason],
          ["Address", <code key="url">{webhook.url}</code>],
          ["Events", webhook.events.length === 0 ? "all" : webhook.events.join(", ")],
          ["Next try", webhook.resumes_at && <Ago key="resumes" at={webhook.resumes_at} />],
          ["The old secret signs until", webhook.previous_secret_until?.slice(0, 16).replace("T", " ")],
          ["Created", <Ago key="created" at={webhook.created_at} />],
        ]}
        acts={(webhook) => {
          const shared = { account, ids: [webhook.id] };
          const isDisabled = webhook.disabled_at !== null;
          return (
            <>
              <OperationButton {...shared} operation={pingWebhook} act="Ping" icon={<Send aria-hidden />}>
                <p>Gantry sends a ping now and shows the answer among the deliveries.</p>
              </OperationButton>
              <OperationButton
                {...shared}
                operation={patchWebhook}
                act="Edit"
                icon={<Pencil aria-hidden />}
                record={webhook}
                only={CHANGED}
              />
              <OperationButton
                {...shared}
                operation={rotateWebhookSecret}
                act="Rotate the secret"
                icon={<RefreshCw aria-hidden />}
                onDone={(body) => show(secretOf(body))}
              >
                <p>Gantry makes a new secret. The present one also signs for another day.</p>
              </OperationButton>
              <OperationButton
                {...shared}
                operation={patchWebhook}
                act={isDisabled ? "Enable" : "Disable"}
                icon={<Power aria-hidden />}
                fixed={{ "webhook.disabled": !isDisabled }}
                only={[]}
              >
                <p>
                  {isDisabled ? "The events that wait are delivered." : "Events wait while the webhook is disabled."}
                </p>
              </OperationButton>
              <OperationButton
                {...shared}
                operation={deleteWebhook}
                act="Remove"
                kind="danger"
                icon={<Trash2 aria-hidden />}
                onDone={() => void navigate({ to: "/$account/webhooks", params: { account } })}
              >
                <p>The webhook and its pending deliveries are removed. The events stay in the account.</p>
              </OperationButton>
            </>
          );
        }}
        tabs={({ id }) => [
          ["deliveries", "Deliveries", <Deliveries key="deliveries" account={account} webhook={id} />],
        ]}
      />
      <OneTimeSecretDialog secret={secret} onClose={() => show(undefined)} />
    </>
  );
}
