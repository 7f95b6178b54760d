import type { Blueprint, Environment, Tx } from "@gantry/db";
import { z } from "zod";
import type { Caller } from "../../http/caller.js";
import { endpoint } from "../../http/endpoint.js";
import { conflict } from "../../http/errors.js";
import { strict } from "../../http/input.js";
import { type Reply, requested } from "../../http/reply.js";
import type { OpenedRequest } from "../../http/request-opener.js";
import { serversIn } from "../blueprints/blueprint.resource.js";
import { assertNoOpenRequest } from "../requests/open-requests.js";
import { newServers, type WantedServer } from "../servers/new-servers.js";
import { requireFreeAddress } from "../servers/server-parts.js";
import { clusterConfiguration, serversOf } from "./boot-configurations.js";

const LIFECYCLE = ["start_environment", "deprovision_environment", "destroy_environment"] as const;

const started = requested("start_environment");

/** Tells of the Request, except where a blueprint is booted: the specification's answer to that is an empty object. */
const bootReply: Reply<OpenedRequest<"start_environment">> = {
  ...started,
  schema: z.union([started.schema ?? z.never(), strict({})]),
};

export const environmentLifecycleEndpoints = [
  endpoint({
    route: "POST /environments/:environment/boot",
    summary: "Boot an environment's servers from a configuration, or from a blueprint",
    body: strict({ cluster_configuration: clusterConfiguration }),
    transaction: true,
    reply: bootReply,
    handle: async ({ params, body, caller, db, open }) => {
      const environment = await findStill(caller, db, params.environment);
      const { id, accountId } = environment;
      const running = await db.server.count({ where: { environmentId: id, deletedAt: null } });
      if (running > 0) throw conflict(`the environment ${id} holds servers already; deprovision it first`);
      const { blueprint_id: blueprintId, configuration, ...place } = body.cluster_configuration;
      const blueprint = blueprintId === undefined ? undefined : await caller.find("blueprint", blueprintId);
      const wanted = blueprint ? writtenDown(blueprint) : configuration ? serversOf(configuration) : [];
      const addressId = place.ip_id ?? configuration?.ip_id ?? null;
      if (addressId !== null) await requireFreeAddress(db, environment, addressId, "cluster_configuration.ip_id");
      const { serverIds, rows } = await newServers(db, environment, wanted);
      const resource = { type: "environment", id } as const;
      const hideRequest = blueprint !== undefined;
      return open("start_environment", { accountId, resource, input: { serverIds, addressId }, rows, hideRequest });
    },
  }),

  endpoint({
    route: "POST /environments/:environment/deprovision",
    summary: "Take down an environment's servers and what they share; it can be booted again",
    transaction: true,
    reply: requested("deprovision_environment"),
    handle: async ({ params, caller, db, open }) => {
      const { id, accountId } = await findStill(caller, db, params.environment);
      return open("deprovision_environment", { accountId, resource: { type: "environment", id }, input: {} });
    },
  }),

  endpoint({
    route: "DELETE /environments/:environment",
    summary: "Remove an environment with its servers and its snapshots",
    transaction: true,
    reply: requested("destroy_environment"),
    handle: async ({ params, caller, db, open }) => {
      const { id, accountId } = await findStill(caller, db, params.environment);
      return open("destroy_environment", { accountId, resource: { type: "environment", id }, input: {} });
    },
  }),
];

/** The environment, locked, while nothing else makes or removes all of it. */
async function findStill(caller: Caller, db: Tx, id: string): Promise<Environment> {
  const environment = await caller.find("environment", id, "update");
  if (environment.deletedAt) throw conflict(`the environment ${id} was already deleted`);
  await assertNoOpenRequest(LIFECYCLE, db, "environment", environment.id);
  return environment;
}

function writtenDown(blueprint: Blueprint): WantedServer[] {
  if (blueprint.deletedAt) throw conflict(`the blueprint ${blueprint.id} was deleted`);
  return serversIn(blueprint).map((server) => ({ ...server, path: "cluster_configuration.blueprint_id" }));
}
