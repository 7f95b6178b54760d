import type { FactsOf } from "../declarations/facts.js";

export const serverFacts = {
  references: {
    provider: "parent",
    environment: "parent",
    subnet: "parent",
    iam_role: "parent",
    network: "other",
    snapshot: "other",
  },
  cloudObject: { kinds: ["instance"], column: "provisioned_id" },
  heldObject: { kinds: ["image"], column: "image_id" },
  drift: { columns: ["state", "private_hostname", "public_hostname", "flavor"], goneState: "terminated" },
  tagged: true,
  events: {
    hidden: ["authorized_keys"],
    silent: ["keys_asked_at", "authorized_keys", "alternatives", "leaving_zone", "resizing"],
  },
} as const satisfies FactsOf<"server">;
