import { createCaller, createEnvironment, createServer, type TestCaller } from "../support/api.js";
import { startApiTest } from "../support/api-test.js";
import { fillAccount } from "../support/fixtures.js";
import { LONG_TIMEOUTS } from "../support/stack.js";
import { until } from "../support/until.js";
import { bodyOf, fillPath, paths } from "./document.js";
import { OTHERS, sampleBody, withValue } from "./inputs.js";

const { api, db, owner, provider } = await startApiTest();
const fixtures = await fillAccount(api, owner, 2);
const staff = await createCaller(api, { staff: true, reason: "a test" });
const other = await createCaller(api);
const environment = await createEnvironment(db, provider);
await createServer(db, environment, { role: "app_master", provisionedId: "i-master", state: "running" });

interface Call {
  path: string;
  /** Values of the body, in addition to those that it needs, by path with dots. */
  values?: Record<string, unknown>;
  caller?: TestCaller;
  /** The parameter that the loser's answer names; empty if only the combination of several is taken. */
  taken: string;
  /** The status of the rule, if it is not 409. */
  status?: number;
}

/** The call that two clients send at once, by the index that lets one of them win, or why no two calls meet there. */
const CALLS: Record<string, Call | string> = {
  applications_one_living_per_name: { path: "/accounts/{account}/applications", taken: "application.name" },
  auto_scaling_groups_one_living_per_environment: {
    path: "/auto_scaling_groups",
    values: { environment: environment.id },
    taken: "environment",
  },
  database_services_one_living_per_name: {
    path: "/database-services",
    values: { "database_service.name": "shop" },
    taken: "database_service.name",
  },
  environments_one_living_per_name: { path: "/accounts/{account}/environments", taken: "environment.name" },
  firewall_rules_one_living_in_a_group: { path: "/firewalls/{firewall}/rules", taken: "" },
  iam_roles_one_living_per_name: {
    path: "/iam_roles",
    values: { "iam_role.name": "deployer" },
    taken: "iam_role.name",
  },
  memberships_account_id_user_id_key: {
    path: "/accounts/{account}/memberships",
    values: { "membership.email": `${other.userId}@example.com` },
    caller: staff,
    taken: "membership.email",
  },
  servers_one_living_per_name: {
    path: "/servers",
    values: { "server.name": "jobs", "server.role": "util" },
    taken: "server.name",
  },
  subnets_one_living_per_cidr: { path: "/subnets", taken: "subnet.cidr", status: 422 },
  users_email_key: {
    path: "/users",
    values: { "user.email": "ada@example.com" },
    caller: staff,
    taken: "user.email",
    status: 422,
  },

  audit_records_pkey: "one statement at a time links records",
  cloud_objects_one_living: "workers write it",
  drifts_provider_id_region_kind_cloud_id_finding_key: "workers write it",
  event_clocks_pkey: "a migration writes its row",
  retention_passes_pkey: "a migration writes its row",
  external_identities_pkey: "sign-ins write it, which are no endpoints",
  firewalls_one_living_per_database_service: "a firewall comes with its database",
  firewalls_one_living_per_environment: "a firewall comes with its environment, whose row is locked",
  idempotency_keys_pkey: "the loser gets the winner's answer: idempotency.test.ts",
  installation_keys_pkey: "the first start writes it",
  instance_types_pkey: "workers write it",
  invitations_one_open: "the second invitation replaces the first, with the account's row locked",
  provider_locations_provider_id_location_id_key: "workers write it",
  request_stages_pkey: "workers write it",
  requests_one_running_per_resource: "workers write it",
  unreported_audit_heads_pkey: "one statement at a time writes it",
  volumes_one_per_device: "workers write it; a call reserves a device with the server's row locked",
};

/** The unique indexes, except those of values that only Gantry chooses. */
const indexes = await db.$queryRaw<{ name: string; table: string }[]>`
  SELECT i.relname AS name, t.relname AS table
  FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
    JOIN pg_attribute a ON a.attrelid = i.oid
  WHERE x.indisunique AND i.relnamespace = 'public'::regnamespace GROUP BY 1, 2
  HAVING NOT bool_or(a.attname IN ('id', 'seq', 'digest')) ORDER BY 1`;

it("covers the calls that conflict at each unique index", () => {
  expect(indexes.map(({ name }) => name)).toEqual(Object.keys(CALLS).sort());
});

const races = indexes.flatMap(({ name, table }) => {
  const call = CALLS[name];
  return typeof call === "object" ? [{ name, table, ...call }] : [];
});

it.each(races)("the losing call at $name learns which record and which parameter conflict", async (race) => {
  const { table, path, values = {}, caller = owner, taken, status = 409 } = race;
  const schema = bodyOf(paths[path]?.post) ?? {};
  const sample = sampleBody(schema, { fixtures, others: { ...OTHERS, email: "a@example.com" } }) as object;
  const body = Object.entries(values).reduce((made, [field, value]) => withValue(made, field, value), sample);
  let answered = 0;
  const send = () =>
    caller.post(fillPath(path, fixtures), body).then((answer) => {
      answered++;
      return answer;
    });
  // Both calls look for the value before either can write it.
  const answers = await db.$transaction(
    async (blocker) => {
      await blocker.$executeRawUnsafe(`LOCK TABLE ${table} IN SHARE MODE`);
      const sent = [send(), send()];
      await until(async () => {
        const [row] = await db.$queryRaw<{ count: number }[]>`
          SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        return answered > 0 || row?.count === sent.length;
      });
      return { sent };
    },
    { maxWait: LONG_TIMEOUTS.connectSeconds * 1000, timeout: LONG_TIMEOUTS.transactionSeconds * 1000 },
  );
  const [won, lost] = (await Promise.all(answers.sent)).sort((a, b) => a.status - b.status);
  expect([[200, 201].includes(won?.status ?? 0), won?.body.errors]).toEqual([true, undefined]);
  expect([lost?.status, lost?.body.details]).toEqual([status, [{ path: taken, message: expect.any(String) }]]);
  expect(lost?.body.errors[0]).not.toContain("came first");
  if (status === 409) expect(lost?.body.blocking).toEqual([expect.stringMatching(/^http/)]);
});
