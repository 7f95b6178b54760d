import { exceededBootIops } from "@gantry/aws-facts";
import type { Tx } from "@gantry/db";
import { blueprintServers, type ServerSpec } from "@gantry/resources";
import { z } from "zod";
import { endpoint } from "../../http/endpoint.js";
import { conflict } from "../../http/errors/errors.js";
import { strict } from "../../http/input/input.js";
import type { CreatedRequest } from "../../http/plans/requested.js";
import { type Reply, requested } from "../../http/reply/reply.js";
import { findUsableBlueprint } from "../blueprints/blueprint.rules.js";
import { findIdleEnvironment } from "../environments/environment.rules.js";
import { prepareServers } from "../servers/server.creation.js";
import { requireFreeAddress } from "../servers/server.references.js";
import { requireReachableReports } from "../servers/server.reports.js";
import { requireCreatableVolumes } from "../servers/server.volumes.js";
import { clusterConfiguration, serversOfConfiguration } from "./boot.configurations.js";

const started = requested("start_environment");

/** Shows the Request, except for a boot from a blueprint: the specification answers that with an empty object. */
const bootReply: Reply<CreatedRequest<"start_environment">> = {
  ...started,
  schema: z.union([started.schema ?? z.never(), strict({})]),
};

export const bootEndpoints = [
  endpoint({
    route: "POST /environments/:environment/boot",
    summary: "Boot an environment's servers from a configuration or a blueprint",
    body: strict({ cluster_configuration: clusterConfiguration }),
    transaction: true,
    reply: bootReply,
    handle: async ({ params, body, caller, db, env, createRequest }) => {
      requireReachableReports(env);
      const environment = await findIdleEnvironment(caller, db, params.environment);
      const { id, accountId } = environment;
      await requireNoServers(db, id);
      const { blueprint_id: blueprintId, configuration, ...outer } = body.cluster_configuration;
      const path = "cluster_configuration.blueprint_id";
      const blueprint =
        blueprintId === undefined ? undefined : await findUsableBlueprint(caller, blueprintId, { accountId, path });
      const configured = configuration ? serversOfConfiguration(configuration) : [];
      const servers: ServerSpec[] = blueprint
        ? blueprintServers(blueprint).map((server) => ({ ...server, path }))
        : configured;
      // A Request fails for more IOPS than a boot may have: the specification shows that.
      for (const server of servers) if (!exceededBootIops([server])) requireCreatableVolumes(server);
      const addressId = outer.ip_id ?? configuration?.ip_id ?? null;
      const addressPath = `cluster_configuration.${outer.ip_id === undefined ? "configuration.ip_id" : "ip_id"}`;
      if (addressId !== null) await requireFreeAddress(db, environment, addressId, addressPath);
      const exceeded = exceededBootIops(servers);
      const { serverIds, rows, planned } = await prepareServers(db, environment, servers);
      const resource = { type: "environment", id } as const;
      const hideRequest = blueprint !== undefined;
      return createRequest("start_environment", {
        accountId,
        resource,
        input: { serverIds, addressId },
        rows,
        planned: () => planned(env.SERVER_IMAGE_PARAMETER),
        warnings: exceeded ? [exceeded] : [],
        hideRequest,
      });
    },
  }),
];

async function requireNoServers(db: Tx, environmentId: number): Promise<void> {
  const servers = await db.server.findMany({
    where: { environmentId, deletedAt: null },
    select: { id: true },
    orderBy: { id: "asc" },
  });
  if (servers.length > 0)
    throw conflict(`environment ${environmentId} already has servers; deprovision it first`, {
      blocking: servers.map(({ id }) => `servers/${id}`),
    });
}
