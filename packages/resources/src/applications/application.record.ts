import type { Application } from "@gantry/db";
import { z } from "zod";
import { resource } from "../declarations/record.js";
import { deletableTimestamps, deletableTimestampsOf } from "../declarations/timestamps.js";

export const application = resource({
  name: "application",
  plural: "applications",
  deleted: "deletedAt",
  record: z
    .object({
      id: z.int(),
      name: z.string(),
      language: z.string(),
      type: z.string(),
      repository: z.string(),
      ...deletableTimestamps,
      account: z.url(),
      archives: z.null().describe("Not supported"),
      environments: z.url(),
      deployments: z.url(),
      keypairs: z.url(),
      environment_variables: z.url(),
    })
    .meta({ id: "Application" }),
  serialize: (row: Application, link) => {
    const own = (part: string) => link("applications", row.id, part);
    return {
      id: row.id,
      name: row.name,
      language: row.language,
      type: row.type,
      repository: row.repository,
      ...deletableTimestampsOf(row),
      account: link("accounts", row.accountId),
      archives: null,
      environments: own("environments"),
      deployments: own("deployments"),
      keypairs: own("keypairs"),
      environment_variables: own("environment_variables"),
    };
  },
});
