import type { Account } from "@gantry/db";
import { z } from "zod";
import { field, uuid } from "../declarations/fields.js";
import { linksBelow } from "../declarations/links.js";
import { wireRecord } from "../declarations/record.js";
import { timestamps } from "../declarations/timestamps.js";

/** The collections that an account links to, each under its own URL. */
export const ACCOUNT_COLLECTIONS = [
  "account_notes",
  "addons",
  "addresses",
  "applications",
  "database_services",
  "environments",
  "features",
  "logical_databases",
  "memberships",
  "owners",
  "providers",
  "requests",
  "server_alerts",
  "ssl_certificates",
  "users",
] as const;

type Collection = (typeof ACCOUNT_COLLECTIONS)[number];

// Gantry has no billing and no support plans: these fields are fixed; `support_plan` is the value that the creator
// named.
const fixedFields = {
  billable: false,
  billing_required: false,
  finalized: true,
  billing_plan_support: "none",
  support_trial_status: "none",
  signup_via: "gantry",
  account_trial: null,
  billing_signup_url: null,
  canceled_at: null,
  cancelled_at: null,
  cancellation: null,
  plan: null,
  referrals: null,
  referrer_account: null,
  support_trial: null,
};

/** Whether new disks and databases of an account must be encrypted. */
export const encryption = z.enum(["optional", "required"]);

const notManaged = z.null().describe("Not supported");

export const account = wireRecord({
  name: "account",
  plural: "accounts",
  record: z
    .object({
      id: uuid,
      name: field(z.string(), "shop"),
      ...timestamps,
      billable: z.boolean(),
      billing_required: z.boolean(),
      finalized: z.boolean(),
      billing_plan_support: field(z.string(), "none"),
      support_plan: field(z.string(), "none"),
      support_trial_status: field(z.string(), "none"),
      signup_via: field(z.string(), "api"),
      emergency_contact: field(z.string().nullable(), "+1 555 0100"),
      encryption: encryption.describe("`required` if new disks and databases are always encrypted"),
      db_management_web_uri: field(z.string(), "https://console.aws.amazon.com/rds"),
      account_trial: notManaged,
      billing_signup_url: notManaged,
      canceled_at: notManaged,
      cancelled_at: notManaged,
      cancellation: notManaged,
      plan: notManaged,
      referrals: notManaged,
      referrer_account: notManaged,
      support_trial: notManaged,
      ...linksBelow("accounts", ACCOUNT_COLLECTIONS),
    })
    .meta({ id: "Account" }),
  computed: (row: Account, link) => {
    const urls = ACCOUNT_COLLECTIONS.map((name) => [name, link("accounts", row.id, name)]);
    return {
      ...fixedFields,
      encryption: row.requiresEncryption ? ("required" as const) : ("optional" as const),
      db_management_web_uri: link("accounts", row.id, "database_services"),
      ...(Object.fromEntries(urls) as Record<Collection, string>),
    };
  },
});
