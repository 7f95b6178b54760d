import { Prisma, type Request } from "@gantry/db";
import { field, isoOrNull, type ResourceType, timestamp, wireRecord } from "@gantry/resources";
import { z } from "zod";
import { endpoint } from "../../http/endpoint.js";
import { conflict } from "../../http/errors/errors.js";
import { many } from "../../http/reply/list.js";
import { json, requested } from "../../http/reply/reply.js";
import { fetchRows } from "../../http/rows/rows.js";
import { assertNoUnfinishedRequest } from "../unfinished-requests.js";

const leak = z.object({
  kind: field(z.string(), "volume"),
  id: field(z.string().nullable(), "1", "Null if AWS did not return it"),
  region: field(z.string(), "us-east-1"),
  retries: z.int().describe("How often Gantry has automatically retried the removal"),
  retry_at: timestamp.nullable().describe("When Gantry retries automatically"),
});

const leaks = z.object({ leaked_resources: z.array(leak) });
const stored = z.array(leak.pick({ kind: true, id: true, region: true }));

/** What a Request left behind, each object with the times at which Gantry tries again. */
function leaksOf({ leakedResources, leakRetries, leakRetryAt }: Request) {
  const retrying = { retries: leakRetries, retry_at: isoOrNull(leakRetryAt) };
  return stored.parse(leakedResources).map((left) => ({ ...left, ...retrying }));
}

interface Leak extends z.output<typeof leak> {
  requestId: string;
}

const leakedResource = wireRecord({
  name: "leaked_resource",
  plural: "leaked_resources",
  record: leak.extend({ request: z.url().describe("The Request that left it behind") }).meta({ id: "LeakedResource" }),
  computed: ({ requestId, ...row }: Leak, link) => ({ ...row, request: link("requests", requestId) }),
});

export const leakedResourceEndpoints = [
  endpoint({
    route: "GET /requests/:request/leaked-resources",
    summary: "List the cloud objects that a request created and could not remove",
    reply: json(leaks),
    handle: async ({ params, caller }) => ({
      leaked_resources: leaksOf(await caller.find("request", params.request)),
    }),
  }),

  endpoint({
    route: "GET /accounts/:account/leaked-resources",
    summary: "List the cloud objects that an account's requests created and could not remove, newest request first",
    reply: many(leakedResource),
    handle: async ({ params, caller, db }) => {
      const { id } = await caller.find("account", params.account);
      const rows = await fetchRows(
        db,
        "request",
        Prisma.sql`SELECT * FROM requests WHERE account_id = ${id}::uuid AND leaked_resources <> '[]'::jsonb
          ORDER BY created_at DESC, id DESC`,
      );
      return rows.flatMap((row) => leaksOf(row).map((left) => ({ ...left, requestId: row.id })));
    },
  }),

  endpoint({
    route: "POST /requests/:request/leaked-resources/retry",
    summary: "Remove the leaked objects of a request from AWS now, and those of other requests on the same record",
    transaction: true,
    reply: requested("remove_leaked_resources"),
    handle: async ({ params, caller, db, createRequest }) => {
      const { id, accountId, ...left } = await caller.find("request", params.request, "update");
      if (leaksOf({ id, accountId, ...left }).length === 0) throw conflict(`request ${id} left nothing behind`);
      // A Request that made something in AWS worked on a record.
      const on = { type: left.resourceType as ResourceType, id: left.resourceId as string };
      await assertNoUnfinishedRequest(["remove_leaked_resources"], db, on.type, on.id);
      return createRequest("remove_leaked_resources", { accountId, resource: on, input: {} });
    },
  }),
];
