/** The facts about a cloud object before it exists: enough to create it, and to find it after an unknown outcome. */
export interface Intent<Params> {
  /** Unique to the object and never changed: its idempotency token, or the value of its `gantry:token` tag. */
  token: string;
  /** The tags of the object, by key. */
  tags: Record<string, string>;
  params: Params;
}

/** What makes the cloud refuse the removal of an object. */
export interface Obstacle {
  /** The predicate of a sentence about the object, such as `contains security group sg-1`. */
  fact: string;
  /** The id of the obstacle, and the ids of objects that take it with them. It does not count once one of them goes. */
  ids: string[];
}

/** One kind of cloud object. `Cloud` is what its calls need; the engine only passes it on. */
// biome-ignore lint/suspicious/noExplicitAny: a list of kinds mixes their parameters, which only each kind knows.
export interface CloudKind<Cloud, Params = any> {
  /** Its name in the ledger. */
  kind: string;
  /** Its name in messages: "the VPC". */
  label: string;
  /**
   * The protection against a second object of one intent: a token that the cloud honours, a name that the cloud keeps
   * unique, or a tag by which `find` gets the first.
   */
  strategy: "token" | "name" | "tag";
  /** Returns the ids of the objects that were created for the intent, oldest first. */
  find(cloud: Cloud, intent: Intent<Params>): Promise<string[]>;
  /** Creates the object and returns its id. */
  create(cloud: Cloud, intent: Intent<Params>): Promise<string>;
  /** Brings the object to the configuration of the intent; may be repeated. */
  sync?(cloud: Cloud, id: string, intent: Intent<Params>): Promise<void>;
  /** Removes the object; succeeds if it is already gone. */
  remove(cloud: Cloud, id: string, params: Params): Promise<void>;
  /**
   * Returns what makes the cloud refuse the removal of the object, or of what `remove` removes with it; "none" for a kind
   * whose removal nothing can refuse. Includes what the account made itself.
   */
  obstacles: "none" | ((cloud: Cloud, id: string) => Promise<Obstacle[]>);
  /**
   * Returns the states of up to 100 objects by id, and leaves out those that do not exist. A state is a text that
   * changes when a Request which waits for the object should run. With this method sleeping Requests share their
   * describe calls.
   */
  describeStates?(cloud: Cloud, ids: string[]): Promise<ReadonlyMap<string, string>>;
}
