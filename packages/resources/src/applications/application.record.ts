import type { Application } from "@gantry/db";
import { z } from "zod";
import { field } from "../declarations/fields.js";
import { resource } from "../declarations/record.js";
import { deletableTimestamps, deletableTimestampsOf } from "../declarations/timestamps.js";
import { linkTo } from "../links.js";

export const application = resource({
  name: "application",
  plural: "applications",
  deleted: "deletedAt",
  record: z
    .object({
      id: field(z.int(), 1),
      name: field(z.string(), "shop"),
      language: field(z.string(), "ruby"),
      type: field(z.string(), "ruby"),
      repository: field(z.string(), "git@github.com:example/shop.git"),
      ...deletableTimestamps,
      account: linkTo("accounts"),
      archives: z.null().describe("Not supported"),
      environments: linkTo("applications", "environments"),
      deployments: linkTo("applications", "deployments"),
      keypairs: linkTo("applications", "keypairs"),
      environment_variables: linkTo("applications", "environment_variables"),
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
