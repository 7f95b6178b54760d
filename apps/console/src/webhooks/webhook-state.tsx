import type { Delivery, Webhook } from "@gantry/client";
import type { OneTimeSecret } from "../controls/one-time-secret.js";
import { Mark } from "../controls/state.js";

/** Whether a webhook receives events. */
export function WebhookState({ webhook }: { webhook: Webhook }) {
  const { disabled_at, failures } = webhook;
  if (disabled_at) return <Mark tone="bad">disabled</Mark>;
  if (failures > 0) return <Mark tone="warn">{`${failures} failed`}</Mark>;
  return <Mark tone="good">enabled</Mark>;
}

const TONES = { pending: "busy", delivered: "good", failed: "bad" } as const;

export function DeliveryState({ state }: { state: Delivery["state"] }) {
  return <Mark tone={TONES[state]}>{state}</Mark>;
}

/** The secret in the answer to the creation of a webhook, or to the rotation of its secret. */
export function secretOf(body: unknown): OneTimeSecret | undefined {
  const { secret } = body as { secret: string | null };
  return secret ? { what: "secret", value: secret } : undefined;
}
