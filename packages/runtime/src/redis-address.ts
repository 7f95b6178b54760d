const FORM = /^redis(s?)(?:\+(sentinel|cluster))?:\/\/(?:([^/?]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/;
const SOCKET = /^(?:unix:\/\/)?(\/[^?]+(?:\?.*)?)$/;
const NODE = /^(\[[\da-f:.]+\]|[\w.-]+)(?::(\d{1,5}))?$/i;
const DEFAULT_PORTS = { single: 6379, sentinel: 26_379, cluster: 6379 };
const LAST_PORT = 65_535;
/** Parameters that only some forms have. */
const PARAMETERS = ["ca_file", "sentinel_username", "sentinel_password"];
const ENCODING = "write special characters in the user name and the password with percent-encoding, such as %2F for /";

export interface RedisNode {
  host: string;
  port: number;
}

/** What an address of Redis says. */
export interface RedisAddress {
  kind: "single" | "sentinel" | "cluster";
  /** One server's address as ioredis reads it: `redis://…`, `rediss://…`, or the path of a socket. */
  url: string;
  /** The server unless it has a socket, the Sentinels, or some nodes of the cluster. */
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
 * One server also has the forms `HOST:PORT`, `unix:///PATH` and `/PATH`.
 *
 * @throws an Error that says what is wrong, and repeats no password
 */
export function parseRedisAddress(address: string): RedisAddress {
  const [, socket] = SOCKET.exec(address) ?? [];
  if (socket !== undefined) return { ...ONE_SERVER, url: socket };
  const url = address.includes("://") ? address : `redis://${address}`;
  const [, tls, form, user, hosts = "", path = "", query = ""] = FORM.exec(url) ?? [];
  if (tls === undefined)
    throw new Error(
      "Must start with redis://, redis+sentinel:// or redis+cluster://, with rediss for TLS, or unix://.",
    );
  const kind = (form ?? "single") as RedisAddress["kind"];
  const nodes = hosts.split(",").map((text, index) => nodeOf(text, index, DEFAULT_PORTS[kind]));
  const name = decoded(path) ?? "";
  if (kind === "single" && nodes.length > 1)
    throw new Error("Several hosts need redis+sentinel:// or redis+cluster://.");
  if (kind === "single" && !/^\d*$/.test(name))
    throw new Error(`The database must be a number, such as /0; ${ENCODING}.`);
  if (kind === "single" && !URL.canParse(url)) throw new Error(`Is not a valid URL; ${ENCODING}.`);
  if (kind === "sentinel" && !name)
    throw new Error("The name of the primary is missing; add it after the hosts, such as /mymaster.");
  if (kind === "cluster" && name) throw new Error("A cluster has no databases; remove what follows the hosts.");
  const parameters = new URLSearchParams(query);
  for (const parameter of kind === "single" ? [] : parameters.keys())
    if (!PARAMETERS.includes(parameter))
      throw new Error(`The parameter ${parameter} is not known; the parameters are ${PARAMETERS.join(", ")}.`);
  const caFile = parameters.get("ca_file") ?? undefined;
  if (caFile !== undefined && !tls) throw new Error("The parameter ca_file needs TLS; begin with rediss.");
  const colon = user?.indexOf(":") ?? -1;
  return {
    kind,
    url,
    nodes,
    username: user === undefined ? undefined : decoded(colon < 0 ? user : user.slice(0, colon)),
    password: user === undefined || colon < 0 ? undefined : decoded(user.slice(colon + 1)),
    isTls: tls === "s",
    caFile,
    name,
    sentinelUsername: parameters.get("sentinel_username") ?? undefined,
    sentinelPassword: parameters.get("sentinel_password") ?? undefined,
  };
}

const ONE_SERVER: Omit<RedisAddress, "url"> = {
  kind: "single",
  nodes: [],
  username: undefined,
  password: undefined,
  isTls: false,
  caFile: undefined,
  name: "",
  sentinelUsername: undefined,
  sentinelPassword: undefined,
};

// A password with a special character may end up among the hosts, so that the message repeats none.
function nodeOf(text: string, index: number, defaultPort: number): RedisNode {
  const [, host, digits] = NODE.exec(text.trim()) ?? [];
  const port = digits === undefined ? defaultPort : Number(digits);
  if (!host || port < 1 || port > LAST_PORT)
    throw new Error(`Host ${index + 1} must be HOST or HOST:PORT; ${ENCODING}.`);
  return { host: host.replace(/^\[|\]$/g, ""), port };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text) || undefined;
  } catch {
    throw new Error("Write a % in the user name, the password or the name of the primary as %25.");
  }
}
