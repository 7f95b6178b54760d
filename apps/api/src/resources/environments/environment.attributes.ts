import { field } from "@gantry/resources";
import { z } from "zod";
import { strict } from "../../http/input/input.js";
import { nameText, singleLine } from "../../http/input/names.js";
import { integerId } from "../../http/input/references.js";
import { tagsInput } from "../../http/lists/tags.js";

const word = (example: string) => field(singleLine(100).optional(), example);
const count = (min: number, example: number) => field(z.int().min(min).max(10_000).optional(), example);

/** The attributes that a caller sets when an environment is created and later. */
export const environmentAttributes = {
  application_id: integerId("applications").nullable().optional(),
  database_stack: word("postgres16"),
  framework_env: word("production"),
  language: word("ruby"),
  encrypted_ebs_for_everything: z.boolean().optional(),
  encrypted_database_ebs: z.boolean().optional(),
  database_backup_interval: count(1, 24).describe("Hours"),
  database_backup_limit: count(0, 10),
  snapshot_limit: count(0, 10),
  snapshot_retention: count(0, 7).describe("Days"),
  deploy_method: word("git"),
  stack_name: word("stable-v7"),
  takeover_preference: word("none"),
  username: field(
    z
      .string()
      .regex(/^[a-z_][a-z0-9_-]{0,31}$/, "must be a valid Linux user name")
      .optional(),
    "gantry",
  ),
  release_label: word("stable"),
  lock_db_version: z.boolean().optional(),
  tags: tagsInput.optional(),
};

export const environmentChanges = strict({ name: nameText.optional(), ...environmentAttributes });
