import type { Application } from "@gantry/db";
import { z } from "zod";
import { field } from "../declarations/fields.js";
import { linkBelow, linkTo } from "../declarations/links.js";
import { wireRecord } from "../declarations/record.js";
import { deletableTimestamps } from "../declarations/timestamps.js";

export const application = wireRecord({
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
      environments: linkBelow("applications", "environments"),
      deployments: linkBelow("applications", "deployments"),
      keypairs: linkBelow("applications", "keypairs"),
      environment_variables: linkBelow("applications", "environment_variables"),
    })
    .meta({ id: "Application" }),
  computed: (_row: Application) => ({
    archives: null,
  }),
});
