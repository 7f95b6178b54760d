/** A parameter of an operation as a flag. */
export interface Flag {
  /** Without the dashes, such as `volume-size`. */
  name: string;
  at: "path" | "query" | "body";
  /** The place of the value in the input: `["server", "volume_size"]`. */
  path: string[];
  type: "string" | "text" | "integer" | "number" | "boolean" | "id" | "list" | "map" | "json";
  isRequired: boolean;
  description?: string;
  /** The words that the API knows. */
  values?: unknown[];
  default?: unknown;
  example?: unknown;
  /** The collection of the records that an id names, such as `environments`. */
  of?: string;
  /** Never given on the command line, where every process of the machine could read it. */
  isSecret?: boolean;
}

/** An operation of the API as a command. */
export interface CommandFacts {
  /** The operationId. */
  id: string;
  method: string;
  path: string;
  summary: string;
  /** `request`, `none`, `text`, `events`, `body`, `record:KEY` or `list:KEY`. */
  answer: string;
  canPlan?: boolean;
  /** Whether the answer of a change holds a secret that is shown only once. */
  showsSecret?: boolean;
  /** The records that the command names before its flags. */
  ids: { name: string; of: string }[];
  flags: Flag[];
  /** The fields of its records that fit into a table. */
  columns?: string[];
}

/** The command that runs. */
export interface Called {
  noun: string;
  verb: string;
  facts: CommandFacts;
}

/** The operations of a noun by their verbs. */
export type Noun = Readonly<Record<string, CommandFacts>>;

/** All nouns: the names of their verbs, and their operations. */
export type Nouns = Readonly<Record<string, { verbs: readonly string[]; load: () => Promise<{ noun: Noun }> }>>;
