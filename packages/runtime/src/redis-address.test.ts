import { readEnv } from "./env.js";
import { parseRedisAddress } from "./redis-address.js";

const NONE = {
  username: undefined,
  password: undefined,
  isTls: false,
  caFile: undefined,
  name: "",
  sentinelUsername: undefined,
  sentinelPassword: undefined,
};

it.each([
  ["redis://redis", { kind: "single", nodes: [{ host: "redis", port: 6379 }] }],
  ["redis://redis:6380/2", { kind: "single", nodes: [{ host: "redis", port: 6380 }], name: "2" }],
  ["redis://redis/?family=6", { kind: "single", nodes: [{ host: "redis", port: 6379 }] }],
  ["rediss://redis?ca_file=/ca.pem", { nodes: [{ host: "redis", port: 6379 }], isTls: true, caFile: "/ca.pem" }],
  ["redis://[::1]:6380", { nodes: [{ host: "::1", port: 6380 }] }],
  ["redis://ann:p%40ss%2F%25@redis", { username: "ann", password: "p@ss/%", nodes: [{ host: "redis", port: 6379 }] }],
  ["redis://:p@ss:word@redis", { password: "p@ss:word", nodes: [{ host: "redis", port: 6379 }] }],
  ["redis://ann@redis", { username: "ann", nodes: [{ host: "redis", port: 6379 }] }],
  ["redis:6380", { kind: "single", url: "redis://redis:6380", nodes: [{ host: "redis", port: 6380 }] }],
  [":secret@redis/1", { kind: "single", url: "redis://:secret@redis/1", password: "secret", name: "1" }],
  ["/run/redis.sock?db=2", { kind: "single", url: "/run/redis.sock?db=2", nodes: [] }],
  ["unix:///run/redis.sock", { kind: "single", url: "/run/redis.sock", nodes: [] }],
  [
    "redis+sentinel://ann:secret@s1,s2:26380/my%20primary?sentinel_username=sam&sentinel_password=p%26q",
    {
      kind: "sentinel",
      nodes: [
        { host: "s1", port: 26_379 },
        { host: "s2", port: 26_380 },
      ],
      name: "my primary",
      username: "ann",
      password: "secret",
      sentinelUsername: "sam",
      sentinelPassword: "p&q",
    },
  ],
  ["rediss+sentinel://s1/mymaster", { kind: "sentinel", isTls: true, name: "mymaster" }],
  [
    "rediss+cluster://:secret@[fd00::1]:7000,r2?ca_file=%2Fca%20s.pem",
    {
      kind: "cluster",
      nodes: [
        { host: "fd00::1", port: 7000 },
        { host: "r2", port: 6379 },
      ],
      password: "secret",
      isTls: true,
      caFile: "/ca s.pem",
    },
  ],
])("reads %s", (address, parts) => {
  expect(parseRedisAddress(address)).toMatchObject({ ...NONE, ...parts });
});

const read = (REDIS_URL: string, more: Record<string, string> = {}) =>
  readEnv({
    DATABASE_URL: "postgresql://127.0.0.1/gantry",
    MASTER_KEY: Buffer.alloc(32).toString("base64"),
    REDIS_URL,
    ...more,
  });

const SCHEMES = "Must start with redis://, redis+sentinel:// or redis+cluster://, with rediss for TLS, or unix://";
const ENCODE = "write special characters in the user name and the password with percent-encoding";

it.each([
  ["http://redis", SCHEMES],
  ["redis+tls://redis", SCHEMES],
  ["redis://", "Host 1 must be HOST or HOST:PORT"],
  ["redis://redis:port", "Host 1 must be HOST or HOST:PORT"],
  ["redis://redis:65536", "Host 1 must be HOST or HOST:PORT"],
  ["redis+cluster://r1,,r3", "Host 2 must be HOST or HOST:PORT"],
  ["redis+cluster://fd00::1", "Host 1 must be HOST or HOST:PORT"],
  ["redis://r1,r2", "Several hosts need redis+sentinel:// or redis+cluster://."],
  ["r1:6379,r2:6379", "Several hosts need redis+sentinel:// or redis+cluster://."],
  ["redis://redis/queues", "The database must be a number, such as /0"],
  ["redis+sentinel://s1", "The name of the primary is missing; add it after the hosts, such as /mymaster."],
  ["redis+sentinel://s1/", "The name of the primary is missing; add it after the hosts, such as /mymaster."],
  ["redis+sentinel://s1/%zz", "Write a % in the user name, the password or the name of the primary as %25."],
  ["redis+cluster://r1/1", "A cluster has no databases; remove what follows the hosts."],
  ["redis+cluster://r1?db=1", "The parameter db is not known; the parameters are ca_file, sentinel_username,"],
  ["redis://redis?ca_file=/ca.pem", "The parameter ca_file needs TLS; begin with rediss."],
])("refuses %s, and says what is right", (address, message) => {
  expect(() => read(address)).toThrow(`REDIS_URL: ${message}`);
});

it.each(["redis://:sec/ret@redis", "redis://:sec?ret@redis", "redis://:sec#ret@redis", "redis+cluster://:sec/ret@r1"])(
  "refuses %s, and repeats no part of the password",
  (address) => {
    expect(() => read(address)).toThrow(ENCODE);
    expect(() => read(address)).not.toThrow(/sec|ret@/);
  },
);

it("refuses a malformed percent-encoding, and repeats no part of the password", () => {
  expect(() => read("redis://:50%secret@redis")).toThrow(/REDIS_URL: Write a % in the user name.* as %25\./);
  expect(() => read("redis://:50%secret@redis")).not.toThrow(/secret@/);
});

it("requires braces in the prefix of a cluster's keys, so that they are on one node", () => {
  const cluster = "redis+cluster://r1,r2";
  for (const QUEUE_PREFIX of ["gantry", "{}gantry", "gantry}{"])
    expect(() => read(cluster, { QUEUE_PREFIX })).toThrow(
      "QUEUE_PREFIX: requires braces with a cluster, such as {gantry}",
    );
  expect(read(cluster, { QUEUE_PREFIX: "team-{gantry}" }).QUEUE_PREFIX).toBe("team-{gantry}");
  expect(read(cluster).QUEUE_PREFIX).toBe("{gantry}");
  expect(read("redis://redis", { QUEUE_PREFIX: "gantry" }).QUEUE_PREFIX).toBe("gantry");
});
