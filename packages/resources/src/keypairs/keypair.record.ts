import type { Keypair } from "@gantry/db";
import { z } from "zod";
import { linkOrNull, resource } from "../declarations/record.js";
import { timestamps, timestampsOf } from "../declarations/timestamps.js";

export const keypair = resource({
  name: "keypair",
  plural: "keypairs",
  deleted: "deletedAt",
  record: z
    .object({
      id: z.int(),
      application: z.url().nullable(),
      user: z.url().nullable(),
      ...timestamps,
      fingerprint: z.string().describe("The MD5 of the key, as colon-separated hexadecimal"),
      name: z.string().nullable(),
      public_key: z.string(),
    })
    .meta({ id: "Keypair" }),
  serialize: (row: Keypair, link) => ({
    id: row.id,
    application: linkOrNull(link, "applications", row.applicationId),
    user: linkOrNull(link, "users", row.userId),
    ...timestampsOf(row),
    fingerprint: row.fingerprint,
    name: row.name,
    public_key: row.publicKey,
  }),
});
