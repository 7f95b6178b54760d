import { z } from "zod";
import { strict } from "../../http/input.js";
import { nameText, singleLine } from "../../http/names.js";
import { integerId } from "../../http/references.js";
import { tagsInput } from "../../http/tags.js";

const word = singleLine(100);
const count = (min: number) => z.int().min(min).max(10_000);

/** The attributes that a caller sets when an environment is created and later. */
export const environmentAttributes = {
  application_id: integerId("applications").nullable().optional(),
  database_stack: word.optional(),
  framework_env: word.optional(),
  language: word.optional(),
  encrypted_ebs_for_everything: z.boolean().optional(),
  encrypted_database_ebs: z.boolean().optional(),
  database_backup_interval: count(1).describe("Hours").optional(),
  database_backup_limit: count(0).optional(),
  snapshot_limit: count(0).optional(),
  snapshot_retention: count(0).describe("Days").optional(),
  deploy_method: word.optional(),
  stack_name: word.optional(),
  takeover_preference: word.optional(),
  username: z
    .string()
    .regex(/^[a-z_][a-z0-9_-]{0,31}$/, "must be a valid Linux user name")
    .optional(),
  release_label: word.optional(),
  lock_db_version: z.boolean().optional(),
  tags: tagsInput.optional(),
};

export const environmentChanges = strict({ name: nameText.optional(), ...environmentAttributes });
