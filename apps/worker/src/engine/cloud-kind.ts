/** What is known of an object before it exists: enough to make it, and to find it again after an unknown outcome. */
export interface Intent<Params> {
  /** Unique to this object and kept for good: its idempotency token, or the value of its `gantry:token` tag. */
  token: string;
  /** What the object is labelled with. */
  tags: Record<string, string>;
  params: Params;
}

/**
 * One kind of cloud object. `Cloud` is whatever the cloud's own layer needs to make calls; the engine never looks
 * inside it.
 */
// biome-ignore lint/suspicious/noExplicitAny: a list of kinds mixes their parameters, which only each kind knows.
export interface CloudKind<Cloud, Params = any> {
  /** Its name in the ledger. */
  kind: string;
  /** What it is called in messages: "the VPC". */
  label: string;
  /**
   * How a repeated create is kept from making a second one: by a token that the cloud honours, by a name that it
   * holds unique, or by the tag under which the first is found.
   */
  strategy: "token" | "name" | "tag";
  /** The ids of what was made for this intent, oldest first. */
  find(cloud: Cloud, intent: Intent<Params>): Promise<string[]>;
  /** Makes the object and gives its id. */
  create(cloud: Cloud, intent: Intent<Params>): Promise<string>;
  /** Brings the object to its wanted configuration; may be repeated. */
  sync?(cloud: Cloud, id: string, intent: Intent<Params>): Promise<void>;
  /** Removes the object; one that is gone already is fine. */
  remove(cloud: Cloud, id: string, params: Params): Promise<void>;
  /**
   * How each of up to a hundred is, in words that change when a Request that waits for it should go on; one that is not
   * there is left out. Where it is given, sleeping Requests share the looks that they wait for.
   */
  describeStates?(cloud: Cloud, ids: string[]): Promise<ReadonlyMap<string, string>>;
}
