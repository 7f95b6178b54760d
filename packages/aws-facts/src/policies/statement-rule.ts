/** A statement of a policy in Gantry's table. */
export interface StatementRule {
  sid: string;
  /** The reason for the statement, in the operators' guide. */
  about: string;
  actions: readonly string[];
  resources: readonly string[];
  condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
  effect?: "Allow" | "Deny";
}

/** The condition that an object is created with the tag `gantry:account`. */
export const NEW = { Null: { "aws:RequestTag/gantry:account": "false" } };
/** The condition that an object carries the tag `gantry:account`. */
export const OWN = { Null: { "aws:ResourceTag/gantry:account": "false" } };
