import { task } from "./check-commands.mjs";

/** Every case of the test files that a campaign names, without a second run that would excuse a failure. */
const everyCase = (...words) => task("test", "--strict", "--every-case", ...words);

/** The campaign of random faults on stores that `npm run chaos -- --help` names. */
const chaosOn = (stores) => task("chaos", "--kills", "60", "--stores", stores);

/** The checks of `npm run campaigns` in their order, with the properties that checks.mjs describes. */
export const CAMPAIGNS = {
  crashes: {
    about: "a crash and a rejection at every AWS call of every scenario, and every transient AWS error",
    command: everyCase(".crash.test.ts"),
    minutes: 30,
  },
  permissions: {
    about: "every scenario with the shipped policies, and with each permission removed",
    command: everyCase("test/permissions"),
    minutes: 20,
  },
  kills: {
    about: "the demo with the same result after kills of its worker",
    command: everyCase("--campaigns", "test/chaos"),
    minutes: 15,
  },
  isolation: {
    about: "every id in every operation, sent by each kind of caller without access to it",
    command: everyCase("test/contract/isolation"),
    minutes: 15,
  },
  "list reads": {
    about: "the rows and queries of every list, with every filter and in every order, over 60,000 rows",
    command: everyCase("test/contract/list-reads", "test/contract/queries"),
    minutes: 15,
  },
  calls: {
    about: "every parameter of every query with wrong values, every media type, and every call with conditions",
    command: everyCase("test/contract/query-errors", "test/contract/media-types", "test/contract/conditions"),
    minutes: 15,
  },
  "hostile values": {
    about: "every name of Object's prototype in every text field, and numbers that no column holds",
    command: everyCase("test/contract/hostile-values"),
    minutes: 15,
  },
  answers: {
    about: "each call of each Request, with each transient AWS error once",
    command: everyCase("--campaigns", "test/matrix"),
    minutes: 40,
  },
  "master key": {
    about: "a change of the master key while the apps run, under kills",
    command: everyCase("--campaigns", "scripts/rotate-master-key"),
    minutes: 15,
  },
  smoke: {
    about: "the smoke test for real AWS, against the emulator",
    command: everyCase("--campaigns", "scripts/smoke-aws"),
    minutes: 15,
  },
  signals: {
    about: "every signal to every process of a command, and a start after a hard kill",
    command: everyCase("scripts/signals"),
    minutes: 20,
  },
  streams: {
    about: "two hundred event readers that are disconnected at random",
    command: everyCase("resources/events/event.endpoints"),
    minutes: 15,
  },
  examples: {
    about: "the scripts of examples/",
    command: everyCase("--campaigns", "test/docs/examples"),
    minutes: 15,
  },
  browser: {
    about: "the documentation at /docs and the queues at /queues in Chromium",
    command: everyCase("--campaigns", "test/docs/browser"),
    minutes: 15,
  },
  clients: {
    about: "clients from three generators; each provisions a network",
    command: everyCase("--campaigns", "test/clients"),
    minutes: 15,
  },
  monitoring: {
    about: "a real Prometheus scrapes both apps; promtool tests the alerts; every panel of the dashboard has a value",
    command: everyCase("--campaigns", "test/monitoring"),
    minutes: 15,
  },
  chart: {
    about: "the Helm chart, against the schemas of Kubernetes and KEDA",
    command: everyCase("--campaigns", "test/deploy"),
    minutes: 20,
  },
  containers: {
    about: "what the images contain, run by a user without rights on a read-only file system",
    command: everyCase("--campaigns", "test/containers"),
    minutes: 15,
  },
  templates: {
    about: "the types and lint of what npm run new writes",
    command: everyCase("--campaigns", "test/templates"),
    minutes: 10,
  },
  points: {
    about: "a kill of a worker process at every crash point of every workflow",
    command: task("chaos:points"),
    minutes: 40,
  },
  cancels: {
    about: "a cancel at every crash point, a rejection of every call, then a retry",
    command: task("chaos:points", "--cancel"),
    minutes: 30,
  },
  chaos: { about: "random faults under load, with 300 kills", command: task("chaos", "--kills", "300"), minutes: 40 },
  tls: {
    about: "random faults with TLS to PostgreSQL and Redis, whose certificates every client verifies",
    command: chaosOn("tls"),
    minutes: 15,
  },
  sentinel: {
    about: "random faults with Redis Sentinel, which promotes replicas of killed primaries",
    command: chaosOn("redis-sentinel"),
    minutes: 15,
  },
  cluster: {
    about: "random faults with a Redis Cluster, which promotes replicas of killed primaries",
    command: chaosOn("redis-cluster"),
    minutes: 15,
  },
  pooler: {
    about: "random faults with PgBouncer in front of PostgreSQL; both are killed",
    command: chaosOn("pgbouncer"),
    minutes: 15,
  },
  fairness: { about: "single creates during a flood of 2,000", command: task("chaos:fairness"), minutes: 30 },
  deploys: {
    about: "fifty restarts under load, old and new builds side by side",
    command: task("chaos:deploy"),
    minutes: 30,
  },
  waiting: { about: "ten thousand Requests that wait for RDS", command: task("chaos:waiting"), minutes: 20 },
  retention: {
    about: "the removal of most of a million ended Requests under load",
    command: task("chaos:retention"),
    minutes: 60,
  },
  "long fuzz": {
    about: "50,000 calls from the API's own document",
    command: task("fuzz", "--calls", "50000"),
    minutes: 60,
  },
};
