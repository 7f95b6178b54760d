import { Prisma } from "@gantry/db";
import { type InputOf, message, SERVER_ROLES, server } from "@gantry/resources";
import { z } from "zod";
import { endpoint, type Route } from "../../http/endpoint.js";
import { flag, strict } from "../../http/input/input.js";
import { machineName } from "../../http/input/names.js";
import { integerId, uuidOf } from "../../http/input/references.js";
import { equals, indexedByValue, references, text } from "../../http/lists/filters.js";
import { ownTags } from "../../http/lists/tags.js";
import { many } from "../../http/reply/list.js";
import { one, requested } from "../../http/reply/reply.js";
import { type Selection, where } from "../../http/rows/rows.js";
import { flavorName } from "../flavor-name.js";
import { removeLeaksOf } from "../leaks.js";
import { listChildren, listRecords, showRecord } from "../record-endpoints.js";
import { messagesOf } from "../requests/request-messages.js";
import { prepareServers } from "./server.creation.js";
import { modifyServer, updateChanges } from "./server.modification.js";
import { requireAddressFor } from "./server.references.js";
import { requireReachableReports } from "./server.reports.js";
import { findProvisionedServer, findUpdatableServer, requireRemovableServer } from "./server.rules.js";
import { requireCreatableVolumes, serverVolumes } from "./server.volumes.js";

const list = many(server, {
  filters: {
    provisioned_id: indexedByValue(text),
    name: indexedByValue(text),
    private_hostname: indexedByValue(text),
    public_hostname: indexedByValue(text),
    environment: indexedByValue(references("environment")),
    role: indexedByValue(equals(z.enum(SERVER_ROLES))),
    state: indexedByValue(text),
    provider: indexedByValue(references("provider")),
    network: references("network"),
  },
});

const event = { ...message, name: "event", plural: "events" };
const serverEvent = { ...message, name: "server_event", plural: "server_events" };

const serverInput = strict({
  name: machineName.optional(),
  flavor: flavorName,
  role: z.enum(SERVER_ROLES),
  dedicated: z.boolean().default(false).describe("True for hardware that is not shared with other AWS accounts"),
  cpu_credits: z
    .enum(["standard", "unlimited"])
    .optional()
    .describe("For burstable flavors; with `unlimited`, AWS charges for CPU credits beyond those earned"),
  subnet_id: uuidOf("subnets").optional(),
  ip_id: integerId("addresses").optional(),
  iam_role_id: uuidOf("iam_roles").optional(),
  tags: ownTags,
  ...serverVolumes,
});

export const serverEndpoints = [
  endpoint({
    route: "POST /servers",
    summary: "Provision a server in an environment",
    body: strict({
      environment: integerId("environments"),
      snapshot: integerId("snapshots")
        .optional()
        .describe(
          "A snapshot of a data disk becomes the data volume; a snapshot of a root disk becomes the disk the server boots from",
        ),
      server: serverInput,
    }),
    transaction: true,
    reply: requested("provision_server"),
    handle: async ({ body, caller, db, env, createRequest }) => {
      requireReachableReports(env);
      const environment = await caller.find("environment", body.environment, "update");
      const {
        subnet_id,
        ip_id: addressId,
        iam_role_id,
        volume_size,
        mnt_volume_size,
        volume_type,
        cpu_credits,
        ...rest
      } = body.server;
      const spec = {
        ...rest,
        path: "server",
        subnetId: subnet_id,
        iamRoleId: iam_role_id,
        snapshotId: body.snapshot,
        volumeSizeGb: volume_size,
        mntVolumeSizeGb: mnt_volume_size,
        volumeType: volume_type,
        cpuCredits: cpu_credits,
      };
      requireCreatableVolumes(spec);
      const { serverIds, rows, planned, isPrivate } = await prepareServers(db, environment, [spec]);
      if (addressId) await requireAddressFor(db, environment, addressId, isPrivate);
      return createRequest("provision_server", {
        accountId: environment.accountId,
        resource: { type: "server", id: serverIds[0] as number },
        input: { addressId: addressId ?? null },
        rows,
        planned: () => planned(env.SERVER_IMAGE_PARAMETER),
      });
    },
  }),

  updateEndpoint("apply", "Update a server to its record, and the record from AWS"),
  updateEndpoint("start", "Start a stopped server", { startServerByPut: "PUT /servers/:server/start" }),
  updateEndpoint("stop", "Stop a server and keep its volumes", { stopServerByPut: "PUT /servers/:server/stop" }),
  updateEndpoint("reboot", "Reboot a server"),

  endpoint({
    route: "POST /servers/:server/modify",
    summary: "Give a server another flavor, which stops and starts it, or when Gantry next stops it",
    body: strict({
      server: strict({ flavor: flavorName }),
      apply: z
        .enum(["now", "next-stop"])
        .default("now")
        .describe("With `next-stop`, the server gets the flavor when Gantry next stops or starts it"),
    }),
    transaction: true,
    reply: requested("modify_server"),
    handle: ({ params, body, ...act }) => modifyServer(act, params.server, { ...body.server, apply: body.apply }),
  }),

  endpoint({
    route: "POST /servers/:server/reconcile",
    alsoAs: { reconcileServerByPut: "PUT /servers/:server/reconcile" },
    summary: "Update a server's record from AWS",
    transaction: true,
    reply: requested("discover_server"),
    handle: async ({ params, caller, createRequest }) => {
      const { id, accountId } = await findProvisionedServer(caller, params.server);
      return createRequest("discover_server", { accountId, resource: { type: "server", id }, input: {} });
    },
  }),

  endpoint({
    route: "DELETE /servers/:server",
    summary: "Deprovision a server",
    query: { force: flag.describe("True to allow the removal of the environment's last application server") },
    transaction: true,
    reply: requested("deprovision_server", "remove_leaked_resources"),
    handle: async ({ params, query, caller, db, createRequest }) => {
      const { environmentId } = await caller.find("server", params.server);
      await caller.find("environment", environmentId, "update");
      const row = await caller.find("server", params.server, "update");
      const { id, accountId } = row;
      if (row.deletedAt) return removeLeaksOf(db, createRequest, "server", { id, accountId });
      await requireRemovableServer(db, row, query);
      return createRequest("deprovision_server", {
        accountId,
        resource: { type: "server", id },
        input: { force: query.force },
      });
    },
  }),

  showRecord("GET /servers/:server", "Show a server", one(server), "server"),

  listRecords("GET /servers", "List servers", list, "server"),

  listChildren("GET /accounts/:account/servers", "List an account's servers", list, "server", "account"),

  endpoint({
    route: "GET /environments/:environment/servers",
    summary: "List an environment's servers",
    reply: list,
    handle: async ({ params, caller }) => {
      const { id, accountId } = await caller.find("environment", params.environment);
      return where("server", { accountId, environmentId: id });
    },
  }),

  endpoint({
    route: "GET /providers/:provider/servers",
    summary: "List a provider's servers",
    reply: list,
    handle: async ({ params, caller }) => {
      const { id, accountId } = await caller.find("provider", params.provider);
      return where("server", { accountId, providerId: id });
    },
  }),

  endpoint({
    route: "GET /server-events",
    operation: "listEventsOfServers",
    summary: "List the messages of the requests on the caller's servers",
    reply: many(serverEvent),
    handle: ({ caller }): Selection<"requestMessage"> => {
      // Messages have the account of their request.
      const { where, each } = caller.all("request");
      return {
        model: "requestMessage",
        where: Prisma.sql`${where} AND resource_type = 'server'`,
        ...(each && { each }),
      };
    },
  }),

  endpoint({
    route: "GET /servers/:server/events",
    summary: "List the messages of the requests on a server",
    reply: many(event),
    handle: async ({ params, caller }) => {
      const { id } = await caller.find("server", params.server);
      return messagesOf(where("request", { resourceType: "server", resourceId: String(id) }));
    },
  }),
];

function updateEndpoint(
  action: InputOf<"instance_update">["action"],
  summary: string,
  alsoAs: Record<string, Route> = {},
) {
  return endpoint({
    route: `POST /servers/:server/${action}` as const,
    alsoAs,
    summary,
    transaction: true,
    reply: requested("instance_update"),
    handle: async ({ params, caller, db, createRequest }) => {
      const server = await findUpdatableServer(caller, params.server, action);
      const { id, accountId } = server;
      const changes = updateChanges(db, server, action);
      return createRequest("instance_update", {
        accountId,
        resource: { type: "server", id },
        input: { action },
        ...(changes && { changes }),
      });
    },
  });
}
