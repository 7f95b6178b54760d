/** One way in which a call departs from AWS's model. */
export interface Problem {
  kind: "action" | "version" | "missing" | "unknown" | "type" | "value";
  /** The parameter as the SDK names it: `BlockDeviceMappings[0].Ebs.Iops`. */
  path: string;
  /** The end of the sentence "Member …": `must have length less than or equal to 64`. */
  reason: string;
  /** The value as sent, shortened; `(removed)` for a secret. */
  value?: string;
}
