import { Prisma } from "@gantry/db";
import { resource } from "@gantry/records";
import { z } from "zod";
import { endpoint } from "../../http/endpoint.js";
import { json, many } from "../../http/reply.js";
import { fetchRows } from "../../http/rows.js";

const leak = z.object({
  kind: z.string(),
  id: z.string().nullable().describe("Null where AWS did not answer with it"),
  region: z.string(),
});

const leaks = z.object({ leaked_resources: z.array(leak) });

interface Leak extends z.output<typeof leak> {
  requestId: string;
}

const leakedResource = resource({
  name: "leaked_resource",
  plural: "leaked_resources",
  record: leak.extend({ request: z.url().describe("The Request that left it behind") }).meta({ id: "LeakedResource" }),
  serialize: ({ requestId, ...row }: Leak, link) => ({ ...row, request: link("requests", requestId) }),
});

export const leakedResourceEndpoints = [
  endpoint({
    route: "GET /requests/:request/leaked-resources",
    summary: "List the cloud objects that a request created and could not remove",
    reply: json(leaks),
    handle: async ({ params, caller }) => {
      const { leakedResources } = await caller.find("request", params.request);
      return leaks.parse({ leaked_resources: leakedResources });
    },
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
      return rows.flatMap(({ id: requestId, leakedResources }) =>
        leaks.shape.leaked_resources.parse(leakedResources).map((left) => ({ ...left, requestId })),
      );
    },
  }),
];
