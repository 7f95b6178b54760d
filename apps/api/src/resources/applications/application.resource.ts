import type { Application } from "@gantry/db";
import { z } from "zod";
import { iso, isoOrNull, resource, timestamp } from "../../http/resource.js";

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
      created_at: timestamp,
      updated_at: timestamp,
      deleted_at: timestamp.nullable(),
      account: z.url(),
      archives: z.null().describe("Not managed"),
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
      created_at: iso(row.createdAt),
      updated_at: iso(row.updatedAt),
      deleted_at: isoOrNull(row.deletedAt),
      account: link("accounts", row.accountId),
      archives: null,
      environments: own("environments"),
      deployments: own("deployments"),
      keypairs: own("keypairs"),
      environment_variables: own("environment_variables"),
    };
  },
});
