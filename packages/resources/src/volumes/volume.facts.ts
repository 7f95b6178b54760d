import type { FactsOf } from "../declarations/facts.js";

export const volumeFacts = {
  references: { provider: "parent", server: "whole" },
  staysUnlessMadeWithWhole: true,
  cloudObject: { kinds: ["volume"], column: "provisioned_id" },
  drift: { columns: ["state", "size_gb", "volume_type", "iops", "throughput"], goneState: "deleted" },
  tagged: true,
  events: {},
} as const satisfies FactsOf<"volume">;
