import type { Drift, DriftRegion } from "@gantry/db";
import { drift, driftPlace, FINDINGS, serializePlace } from "@gantry/resources";
import { z } from "zod";
import { endpoint } from "../../http/endpoint.js";
import { conflict } from "../../http/errors/errors.js";
import { equals, references, text } from "../../http/lists/filters.js";
import { type Listed, many } from "../../http/reply/list.js";
import { empty, one, type Reply, requested } from "../../http/reply/reply.js";
import { where } from "../../http/rows/rows.js";
import { requireUsable } from "../providers/provider.rules.js";
import { showRecord } from "../record-endpoints.js";
import { assertNoUnfinishedRequest } from "../unfinished-requests.js";
import { restore } from "./drift.restoration.js";

const findings = many(drift, {
  filters: {
    finding: equals(z.enum(FINDINGS)),
    kind: text,
    provider: references("provider"),
    provisioned_id: equals(z.string(), "cloud_id"),
    location: equals(z.string(), "region"),
  },
});

/** A page of findings, with the scanned regions: they distinguish an empty page from a missing scan. */
const report: Reply<{ found: Listed<Drift>; places: DriftRegion[] }> = {
  ...findings,
  schema: z.object({ drift: z.array(drift.record), places: z.array(driftPlace) }),
  render: async ({ found, places }, answering) => {
    const { body, ...rest } = await findings.render(found, answering);
    const serialized = places.map((place) => serializePlace(place, answering.link));
    return { ...rest, body: { ...(body as object), places: serialized } };
  },
};

export const driftEndpoints = [
  endpoint({
    route: "GET /accounts/:account/drift",
    operation: "listAccountDrift",
    summary:
      "List objects that changed or disappeared in AWS without a Request, and orphans: tagged objects without a record",
    reply: report,
    handle: async ({ params, caller, db }) => {
      const { id: accountId } = await caller.find("account", params.account);
      const places = await db.driftRegion.findMany({
        where: { accountId },
        orderBy: [{ providerId: "asc" }, { region: "asc" }],
      });
      return { found: where("drift", { accountId }), places };
    },
  }),

  endpoint({
    route: "POST /accounts/:account/drift/scan",
    operation: "scanAccountDrift",
    summary:
      "Compare AWS with the records now, in every region in use, except what a Request works on or changed a moment ago; `GET /accounts/:account/drift` lists the differences, and what was left out",
    transaction: true,
    reply: requested("scan_drift"),
    handle: async ({ params, caller, db, createRequest, env }) => {
      const { id } = await caller.find("account", params.account, "update");
      await assertNoUnfinishedRequest(["scan_drift"], db, "account", id);
      // Who asks wants to know of everything that AWS surely shows by now.
      const input = { quietSeconds: env.AWS_VISIBILITY_SECONDS };
      return createRequest("scan_drift", { accountId: id, resource: { type: "account", id }, input });
    },
  }),

  showRecord("GET /drift/:drift", "Show a drift finding", one(drift), "drift"),

  endpoint({
    route: "POST /drift/:drift/restore",
    operation: "restoreDrift",
    summary:
      "Give a server, volume, database server, scaling group or role the settings that it had before they were changed in AWS",
    transaction: true,
    reply: requested(
      "modify_server",
      "modify_volume",
      "modify_database_server",
      "modify_auto_scaling_group",
      "modify_iam_role",
    ),
    handle: async ({ params, ...act }) => restore(act, await act.caller.find("drift", params.drift, "update")),
  }),

  endpoint({
    route: "POST /drift/:drift/adopt",
    operation: "adoptDrift",
    summary: "Accept a change that was made in AWS, which the record has already, so that it is no longer listed",
    transaction: true,
    reply: empty,
    handle: async ({ params, caller, db }) => {
      const { id, finding } = await caller.find("drift", params.drift, "update");
      if (finding !== "changed") throw conflict(`finding ${id} is not a change`);
      await db.drift.delete({ where: { id } });
    },
  }),

  endpoint({
    route: "DELETE /drift/:drift",
    operation: "removeOrphan",
    summary: "Remove an orphan from AWS, unless a record refers to it by then",
    transaction: true,
    reply: requested("remove_orphan"),
    handle: async ({ params, caller, db, createRequest, env }) => {
      const { id, accountId, providerId, ...found } = await caller.find("drift", params.drift, "update");
      if (found.finding !== "orphan") throw conflict(`finding ${id} is not an orphan`);
      requireUsable(await db.provider.findUniqueOrThrow({ where: { id: providerId } }));
      await assertNoUnfinishedRequest(["remove_orphan"], db, "drift", id);
      const { kind, cloudId, region } = found;
      const noticedAt = found.createdAt.toISOString();
      const quietSeconds = env.DRIFT_QUIET_SECONDS;
      const input = { kind, cloudId, providerId, region, noticedAt, quietSeconds };
      return createRequest("remove_orphan", { accountId, resource: { type: "drift", id }, input });
    },
  }),
];
