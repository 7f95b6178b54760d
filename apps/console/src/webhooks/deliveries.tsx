import redeliver from "operation:redeliver";
import type { Delivery } from "@gantry/client";
import { RotateCw } from "lucide-react";
import { gantry } from "../api.js";
import { Empty } from "../controls/notice.js";
import { Records } from "../controls/record-list.js";
import type { Column } from "../controls/table.js";
import table from "../controls/table.module.css";
import { Ago } from "../controls/time.js";
import { OperationButton } from "../forms/operation.button.js";
import { DeliveryState } from "./webhook-state.js";

// No event tells of deliveries.
const REFRESH_MS = 3000;

/** What was sent to a webhook, and what it answered. */
export function Deliveries({ account, webhook }: { account: string; webhook: string }) {
  return (
    <Records
      type="delivery"
      of={[webhook]}
      label="Deliveries"
      list={(query, options) => gantry.deliveries.list({ webhook, ...query }, options)}
      columns={columns(account)}
      filters={[{ name: "state", label: "State", choices: STATES }]}
      refreshMs={REFRESH_MS}
      empty={<Empty title="Nothing has been sent yet" />}
    />
  );
}

const STATES = ["pending", "delivered", "failed"].map((state) => [state, state] as const);

function columns(account: string): Column<Delivery>[] {
  return [
    { title: "Event", cell: ({ type }) => <code>{type}</code> },
    { title: "State", cell: ({ state }) => <DeliveryState state={state} /> },
    { title: "Answer", cell: (delivery) => <span className={table.muted}>{answerOf(delivery)}</span> },
    { title: "Attempts", isRight: true, cell: ({ attempts }) => attempts },
    { title: "Sent", isRight: true, cell: ({ attempted_at }) => (attempted_at ? <Ago at={attempted_at} /> : "–") },
    {
      title: "Act",
      isRight: true,
      cell: ({ id, state }) => (
        <OperationButton
          account={account}
          operation={redeliver}
          ids={[id]}
          act="Deliver again"
          isSmall
          icon={<RotateCw aria-hidden />}
          impossible={state === "pending" ? "It is still being delivered" : undefined}
        >
          <p>The same event is sent again, with the same id.</p>
        </OperationButton>
      ),
    },
  ];
}

function answerOf({ status, answer, error, duration }: Delivery): string {
  const text = error ?? (status === null ? "" : [status, answer].filter(Boolean).join(" "));
  return [text, duration !== null && `${Math.round(duration * 1000)} ms`].filter(Boolean).join(" · ") || "–";
}
