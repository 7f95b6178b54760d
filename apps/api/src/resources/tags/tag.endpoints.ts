import type { Model, Row } from "@gantry/db";
import {
  address,
  databaseServer,
  databaseServerSnapshot,
  firewall,
  iamRole,
  modelOf,
  nameOf,
  type ResourceType,
  server,
  snapshot,
  subnet,
  volume,
  type WireRecord,
} from "@gantry/resources";
import type { Access, Caller } from "../../http/auth/caller.js";
import { type Endpoint, endpoint, type Route } from "../../http/endpoint.js";
import { strict } from "../../http/input/input.js";
import { tagsInput } from "../../http/lists/tags.js";
import { changed } from "../../http/reply/reply.js";
import { onlyParameter } from "../record-endpoints.js";
import { changeTags } from "./tag.changes.js";

type Owned = Parameters<Caller["find"]>[0] & Model;

/** Declares the endpoint that changes a record's own tags, for resources of which nothing else can be changed. */
function tagsEndpoint<M extends Owned>(
  route: Route,
  type: ResourceType,
  resource: WireRecord<Row<M>>,
  { access = "write", alsoAs = {} }: { access?: Access; alsoAs?: Record<string, Route> } = {},
): Endpoint {
  const model = modelOf(type);
  return endpoint({
    route,
    alsoAs,
    summary: `Replace the own tags of a record (${nameOf(type)}); a Request of type \`update_tags\` applies them in AWS`,
    access,
    body: strict({ [resource.name]: strict({ tags: tagsInput.optional() }) }),
    transaction: true,
    reply: changed(resource as WireRecord<unknown>),
    handle: async ({ params, body, caller, db, createRequest }) => {
      const row = await caller.find(model, onlyParameter(params), "update");
      const { tags } = (body as Record<string, { tags?: Record<string, string> }>)[resource.name] ?? {};
      const started = await changeTags({ db, createRequest }, type, row as never, { tags });
      return { ...(await caller.find(model, onlyParameter(params))), started };
    },
  });
}

export const tagEndpoints = [
  tagsEndpoint<"subnet">("PUT /subnets/:subnet", "subnet", subnet),
  tagsEndpoint<"iamRole">("PUT /iam_roles/:role_id", "iam_role", iamRole, { access: "admin" }),
  tagsEndpoint<"server">("PUT /servers/:server", "server", server),
  tagsEndpoint<"volume">("PUT /volumes/:volume", "volume", volume),
  tagsEndpoint<"address">("PUT /addresses/:address", "address", address),
  tagsEndpoint<"snapshot">("PUT /snapshots/:snapshot", "snapshot", snapshot),
  tagsEndpoint<"firewall">("PUT /firewalls/:firewall", "firewall", firewall),
  tagsEndpoint<"databaseServer">("PUT /database-servers/:database_server", "database_server", databaseServer),
  tagsEndpoint<"databaseServerSnapshot">(
    "PUT /database-server-snapshots/:database_server_snapshot",
    "database_server_snapshot",
    databaseServerSnapshot,
    { alsoAs: { updateTagsOfDatabaseServerSnapshot: "PUT /database_server_snapshots/:database_server_snapshot" } },
  ),
];
