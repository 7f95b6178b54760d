import { z } from "zod";
import { endpoint } from "../../http/endpoint.js";
import { json } from "../../http/reply.js";
import { DATABASE_FLAVORS, databaseFlavor, ENGINE_VERSIONS } from "./database-engine.catalogue.js";

const flavors = z.array(databaseFlavor);
const versions = z.record(z.string(), z.array(z.string()));

export const databaseEngineEndpoints = [
  endpoint({
    route: "GET /providers/:provider_id/database-server",
    summary: "Show the flavors and engine versions of database servers",
    reply: json(z.object({ database_server: z.object({ flavors, engine_versions: versions }) })),
    handle: async ({ params, caller }) => {
      await caller.find("provider", params.provider_id);
      return { database_server: { flavors: DATABASE_FLAVORS, engine_versions: ENGINE_VERSIONS } };
    },
  }),

  endpoint({
    route: "GET /providers/:provider_id/database-server/flavors",
    summary: "List the flavors of database servers",
    reply: json(z.object({ flavors })),
    handle: async ({ params, caller }) => {
      await caller.find("provider", params.provider_id);
      return { flavors: DATABASE_FLAVORS };
    },
  }),

  endpoint({
    route: "GET /providers/:provider_id/database-server/versions",
    summary: "List the versions of database engines",
    reply: json(z.object({ versions })),
    handle: async ({ params, caller }) => {
      await caller.find("provider", params.provider_id);
      return { versions: ENGINE_VERSIONS };
    },
  }),
];
