import type { Keypair } from "@gantry/db";
import { z } from "zod";
import { field } from "../declarations/fields.js";
import { linkTo } from "../declarations/links.js";
import { wireRecord } from "../declarations/record.js";
import { timestamps } from "../declarations/timestamps.js";

export const keypair = wireRecord({
  name: "keypair",
  plural: "keypairs",
  deleted: "deletedAt",
  record: z
    .object({
      id: field(z.int(), 1),
      application: linkTo("applications").nullable(),
      user: linkTo("users").nullable(),
      ...timestamps,
      fingerprint: field(
        z.string(),
        "SHA256:2jmj7l5rSw0yVb/vlWAYkK/YBwk",
        "The MD5 of the key, as colon-separated hexadecimal",
      ),
      name: field(z.string().nullable(), "shop"),
      public_key: field(
        z.string(),
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGhVqPxe2yYVtE9oGmVbA8nJMmJ9cDk8lXWZ2w0cRzTn ada@example.com",
      ),
    })
    .meta({ id: "Keypair" }),
  computed: (_row: Keypair) => ({}),
});
