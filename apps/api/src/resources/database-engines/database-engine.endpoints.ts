import { field, isoOrNull, timestamp } from "@gantry/resources";
import { z } from "zod";
import { endpoint } from "../../http/endpoint.js";
import { filled } from "../../http/input/names.js";
import { json } from "../../http/reply/reply.js";
import { databaseFlavor, findDatabaseOffers, flavorsOf, versionsOf } from "./database-engine.offers.js";

const flavors = z.array(databaseFlavor);
const versions = z.record(z.string(), z.array(z.string()));
const readAt = timestamp.nullable().describe("When Gantry read this from AWS; null until then");

const query = { location: field(filled(64).optional(), "us-east-1", "A region; all regions if omitted") };

export const databaseEngineEndpoints = [
  endpoint({
    route: "GET /providers/:provider_id/database-server",
    operation: "getProviderDatabaseOffers",
    summary: "Show the flavors and engine versions of database servers",
    query,
    reply: json(z.object({ database_server: z.object({ flavors, engine_versions: versions, read_at: readAt }) })),
    handle: async ({ params, query, caller, db }) => {
      const { id: providerId } = await caller.find("provider", params.provider_id);
      const { offers, readAt } = await findDatabaseOffers(db, { providerId, region: query.location });
      const shown = { flavors: flavorsOf(offers), engine_versions: versionsOf(offers), read_at: isoOrNull(readAt) };
      return { database_server: shown };
    },
  }),

  endpoint({
    route: "GET /providers/:provider_id/database-server/flavors",
    summary: "List the flavors of database servers",
    query,
    reply: json(z.object({ flavors })),
    handle: async ({ params, query, caller, db }) => {
      const { id: providerId } = await caller.find("provider", params.provider_id);
      const { offers } = await findDatabaseOffers(db, { providerId, region: query.location });
      return { flavors: flavorsOf(offers) };
    },
  }),

  endpoint({
    route: "GET /providers/:provider_id/database-server/versions",
    summary: "List the versions of database engines",
    query,
    reply: json(z.object({ versions })),
    handle: async ({ params, query, caller, db }) => {
      const { id: providerId } = await caller.find("provider", params.provider_id);
      const { offers } = await findDatabaseOffers(db, { providerId, region: query.location });
      return { versions: versionsOf(offers) };
    },
  }),
];
