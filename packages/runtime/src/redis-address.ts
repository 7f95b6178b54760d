const FORM = /^redis(s?)(?:\+(sentinel|cluster))?:\/\/(?:([^@/?]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/;
const NODE = /^(\[[\da-f:]+\]|[\w.-]+)(?::(\d{1,5}))?$/i;
const DEFAULT_PORTS = { single: 6379, sentinel: 26_379, cluster: 6379 };
/** Parameters that only some forms have. */
const PARAMETERS = ["ca_file", "sentinel_username", "sentinel_password"];

export interface RedisNode {
  host: string;
  port: number;
}

/** What an address of Redis says. */
export interface RedisAddress {
  kind: "single" | "sentinel" | "cluster";
  /** The server, the Sentinels, or some nodes of the cluster. */
  nodes: RedisNode[];
  username: string | undefined;
  password: string | undefined;
  isTls: boolean;
  /** The file of the certificate authorities to trust, instead of the system's. */
  caFile: string | undefined;
  /** The name under which Sentinels know the primary; otherwise the number of the database, or empty. */
  name: string;
  sentinelUsername: string | undefined;
  sentinelPassword: string | undefined;
}

/**
 * Reads an address of Redis: `redis://` for one server, `redis+sentinel://` or `redis+cluster://`; with `rediss` for TLS.
 *
 * @throws an Error that says what is wrong, and repeats no password
 */
export function parseRedisAddress(url: string): RedisAddress {
  const [, tls, form, user, hosts = "", path = "", query = ""] = FORM.exec(url) ?? [];
  if (tls === undefined) throw new Error("Must start with redis://, redis+sentinel:// or redis+cluster://, or rediss.");
  const kind = (form ?? "single") as RedisAddress["kind"];
  const nodes = hosts.split(",").map((text) => nodeOf(text, DEFAULT_PORTS[kind]));
  if (kind === "single" && nodes.length > 1)
    throw new Error("Several hosts need redis+sentinel:// or redis+cluster://.");
  if (kind === "sentinel" && !path)
    throw new Error("The name of the primary is missing; add it after the hosts, such as /mymaster.");
  if (kind === "cluster" && path) throw new Error("A cluster has no databases; remove what follows the hosts.");
  const parameters = new URLSearchParams(query);
  for (const parameter of kind === "single" ? [] : parameters.keys())
    if (!PARAMETERS.includes(parameter)) throw new Error(`The parameter ${parameter} is not known.`);
  const caFile = parameters.get("ca_file") ?? undefined;
  if (caFile !== undefined && !tls) throw new Error("The parameter ca_file needs TLS; begin with rediss.");
  const colon = user?.indexOf(":") ?? -1;
  return {
    kind,
    nodes,
    username: user === undefined ? undefined : decoded(colon < 0 ? user : user.slice(0, colon)),
    password: user === undefined || colon < 0 ? undefined : decoded(user.slice(colon + 1)),
    isTls: tls === "s",
    caFile,
    name: decodeURIComponent(path),
    sentinelUsername: parameters.get("sentinel_username") ?? undefined,
    sentinelPassword: parameters.get("sentinel_password") ?? undefined,
  };
}

function nodeOf(text: string, defaultPort: number): RedisNode {
  const [, host, port] = NODE.exec(text.trim()) ?? [];
  if (!host) throw new Error(`"${text}" must be HOST or HOST:PORT.`);
  return { host: host.replace(/^\[|\]$/g, ""), port: port === undefined ? defaultPort : Number(port) };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text) || undefined;
  } catch {
    throw new Error("Write a % in the user name or the password as %25.");
  }
}
