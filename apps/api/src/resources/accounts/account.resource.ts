import type { Account } from "@gantry/db";
import { z } from "zod";
import { iso, resource, timestamp } from "../../http/resource.js";

/** What an account links to, each under its own address. */
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

// Gantry bills nobody: what an account says of billing and support is fixed.
const unbilled = {
  billable: false,
  billing_required: false,
  finalized: true,
  billing_plan_support: "none",
  support_plan: "community",
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

const fixed = z.null().describe("Not managed");

export const account = resource({
  name: "account",
  plural: "accounts",
  record: z
    .object({
      id: z.uuid(),
      name: z.string(),
      created_at: timestamp,
      updated_at: timestamp,
      billable: z.boolean(),
      billing_required: z.boolean(),
      finalized: z.boolean(),
      billing_plan_support: z.string(),
      support_plan: z.string(),
      support_trial_status: z.string(),
      signup_via: z.string(),
      emergency_contact: z.string().nullable(),
      db_management_web_uri: z.string(),
      account_trial: fixed,
      billing_signup_url: fixed,
      canceled_at: fixed,
      cancelled_at: fixed,
      cancellation: fixed,
      plan: fixed,
      referrals: fixed,
      referrer_account: fixed,
      support_trial: fixed,
      ...(Object.fromEntries(ACCOUNT_COLLECTIONS.map((name) => [name, z.url()])) as Record<Collection, z.ZodURL>),
    })
    .meta({ id: "Account" }),
  serialize: (row: Account, link) => {
    const urls = ACCOUNT_COLLECTIONS.map((name) => [name, link("accounts", row.id, name)]);
    return {
      id: row.id,
      name: row.name,
      created_at: iso(row.createdAt),
      updated_at: iso(row.updatedAt),
      ...unbilled,
      emergency_contact: row.emergencyContact,
      db_management_web_uri: link("accounts", row.id, "database_services"),
      ...(Object.fromEntries(urls) as Record<Collection, string>),
    };
  },
});
