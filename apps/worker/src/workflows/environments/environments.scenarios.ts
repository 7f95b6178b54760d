import { deepEqual } from "node:assert/strict";
import type { Environment } from "@gantry/db";
import { aws } from "@gantry/test/support/account";
import {
  createEnvironment,
  createFirewall,
  createServer,
  createSnapshot,
  createVolume,
} from "@gantry/test/support/api";
import { PUBLIC_KEY } from "@gantry/test/support/firewall";
import type { ScenarioContext, Scenarios } from "@gantry/test/support/scenario";
import { createRequestOf } from "@gantry/test/support/work";

const PENDING = { state: "pending", provisionedId: null };

/** An environment with two servers that do not exist in AWS yet. */
async function plannedEnvironment({ db, customer }: ScenarioContext) {
  const environment = await createEnvironment(db, customer.provider, { internalPublicKey: PUBLIC_KEY });
  await createFirewall(db, environment, { provisionedId: null });
  const serverIds = [];
  for (const role of ["app_master", "app"]) {
    serverIds.push(await plannedServer({ db, customer }, environment, role));
  }
  return { resource: { type: "environment", id: environment.id } as const, serverIds };
}

async function plannedServer(
  { db, customer }: Pick<ScenarioContext, "db" | "customer">,
  environment: Environment,
  role: string,
): Promise<number> {
  const { id } = await createServer(db, environment, { role, ...PENDING, provisionedAt: null });
  await createVolume(db, customer.provider, { serverId: id, device: "/dev/xvdf", mount: "/data", ...PENDING });
  return id;
}

async function boot(context: ScenarioContext, planned: Awaited<ReturnType<typeof plannedEnvironment>>) {
  const { resource, serverIds } = planned;
  return createRequestOf(context.db, context.customer, "start_environment", resource, { serverIds, addressId: null });
}

async function bootedEnvironment(context: ScenarioContext) {
  const planned = await plannedEnvironment(context);
  await boot(context, planned);
  await context.finishRequests();
  return planned;
}

/** The record of an environment with all of its parts. */
function readEnvironment({ db }: ScenarioContext, id: string) {
  return db.environment.findUniqueOrThrow({
    where: { id: Number(id) },
    include: { servers: { include: { volumes: true, snapshots: true } }, firewalls: { include: { rules: true } } },
  });
}

const isDeleted = ({ deletedAt }: { deletedAt: Date | null }) => deletedAt !== null;

export const environmentScenarios = {
  start_environment: {
    createRequest: async (context) => boot(context, await plannedEnvironment(context)),
    afterSuccess: { key_pair: 1, security_group: 2, security_group_rule: 4, instance: 2, volume: 4 },
    afterFailure: {},
    verify: async ({ customer }, { resourceId }) => {
      // Only of the kinds that it has: the scenarios before it leave many objects of others.
      const kinds = ["key_pair", "security_group", "security_group_rule", "instance", "volume"] as const;
      const found = Object.values(await aws.inventory(customer.awsAccount, { kinds: [...kinds] })).flat();
      const own = found.filter(({ tags }) => tags["gantry:account"] === customer.accountId);
      deepEqual(
        own.filter(({ tags }) => tags["gantry:environment"] !== resourceId),
        [],
      );
    },
    oneIn: 9,
  },
  scale_environment: {
    createRequest: async (context) => {
      const { db, customer } = context;
      const { resource, serverIds } = await bootedEnvironment(context);
      const environment = await db.environment.findUniqueOrThrow({ where: { id: resource.id } });
      const input = {
        addedServerIds: [await plannedServer(context, environment, "app")],
        removedServerIds: serverIds.slice(1),
      };
      return createRequestOf(db, customer, "scale_environment", resource, input);
    },
    // One server goes when another one runs: a failure keeps the one or the other.
    afterSuccess: { key_pair: 1, security_group: 2, security_group_rule: 4, instance: 2, volume: 4 },
    afterFailure: { key_pair: 1, security_group: 2, security_group_rule: 4, instance: 2, volume: 4 },
    // AWS refuses a removal, wholly or from its volume on.
    afterLateFailure: [
      { key_pair: 1, security_group: 2, security_group_rule: 4, instance: 3, volume: 6 },
      { key_pair: 1, security_group: 2, security_group_rule: 4, instance: 2, volume: 5 },
    ],
    verify: async ({ db }, { resourceId, input }) => {
      const servers = await db.server.findMany({
        where: { environmentId: Number(resourceId) },
        orderBy: { id: "asc" },
      });
      deepEqual(
        servers.map(({ id, state }) => [state, input.addedServerIds.includes(id), input.removedServerIds.includes(id)]),
        [
          ["running", false, false],
          ["terminated", false, true],
          ["running", true, false],
        ],
      );
    },
    oneIn: 9,
  },
  configure_environment: {
    createRequest: async (context) => {
      const { resource } = await bootedEnvironment(context);
      return createRequestOf(context.db, context.customer, "configure_environment", resource, {});
    },
    afterSuccess: { key_pair: 1, security_group: 2, security_group_rule: 4, instance: 2, volume: 4 },
    verify: async ({ db }, { resourceId }) => {
      const where = { parent: { resourceType: "environment", resourceId, type: "configure_environment" } };
      const updates = await db.request.findMany({ where });
      deepEqual(
        updates.map(({ type, resourceType, successful }) => [type, resourceType, successful]),
        Array(2).fill(["instance_update", "server", true]),
      );
    },
    oneIn: 5,
  },
  deprovision_environment: {
    createRequest: async (context) => {
      const { resource } = await bootedEnvironment(context);
      return createRequestOf(context.db, context.customer, "deprovision_environment", resource, {});
    },
    afterSuccess: {},
    verify: async (context, { resourceId }) => {
      const { servers, firewalls, ...environment } = await readEnvironment(context, resourceId);
      deepEqual([environment.deletedAt, environment.firewallId, environment.keyPairName], [null, null, null]);
      deepEqual(
        servers.map(({ state, deletedAt }) => [state, deletedAt !== null]),
        [
          ["terminated", true],
          ["terminated", true],
        ],
      );
      const rules = firewalls.flatMap((firewall) => [firewall, ...firewall.rules]);
      deepEqual(
        rules.map(({ provisionedId, deletedAt }) => [provisionedId, deletedAt]),
        Array(5).fill([null, null]),
      );
    },
    oneIn: 9,
  },
  destroy_environment: {
    createRequest: async (context) => {
      const { db, customer, finishRequests } = context;
      const { resource, serverIds } = await bootedEnvironment(context);
      const server = await db.server.findUniqueOrThrow({ where: { id: serverIds[0] as number } });
      const volume = await db.volume.findFirstOrThrow({ where: { serverId: server.id } });
      const { id } = await createSnapshot(db, server, volume, { state: "starting", provisionedId: null });
      await createRequestOf(db, customer, "snapshot_server", { type: "server", id: server.id }, { snapshotIds: [id] });
      await finishRequests();
      return createRequestOf(db, customer, "destroy_environment", resource, {});
    },
    afterSuccess: {},
    verify: async (context, { resourceId }) => {
      const environment = await readEnvironment(context, resourceId);
      const { servers, firewalls } = environment;
      const parts = [
        ...servers.flatMap((server) => [server, ...server.volumes, ...server.snapshots]),
        ...firewalls.flatMap((firewall) => [firewall, ...firewall.rules]),
      ];
      deepEqual([isDeleted(environment), parts.filter((part) => !isDeleted(part))], [true, []]);
    },
    oneIn: 9,
  },
} satisfies Scenarios;
