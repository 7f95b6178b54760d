import { z } from "zod";
import type { ParsedEndpoint, Tolerated } from "../http/input/tolerated-parameters.js";

/**
 * A list of records: one with pages, or an answer that is a list and nothing else. Events are read from a cursor on.
 */
function isList({ method, reply: { query = {}, schema } }: ParsedEndpoint): boolean {
  const answers = schema instanceof z.ZodObject ? Object.values(schema.shape) : [];
  const isWhole = answers.length === 1 && answers[0] instanceof z.ZodArray;
  return method === "GET" && ("page" in query || isWhole);
}

/**
 * Parameters without effect that clients of this family of APIs send, by endpoint. Anything else that is unknown is
 * refused.
 */
export const TOLERATED: readonly Tolerated[] = [
  { route: "POST /accounts", in: "body", names: ["account.type", "account.signup_via"] },
  { route: /^POST \/accounts\/:account\//, in: "body", names: ["account"], only: "same" },
  {
    route: "POST /accounts/:account/providers",
    in: "body",
    names: ["provider.credentials.aws_*", "provider.credentials.instance_aws_*"],
  },
  { route: /^POST .*\/keypairs$/, in: "body", names: ["user", "keypair.user"], only: "null" },
  { route: isList, in: "query", names: ["url"] },
  {
    route: "POST /servers",
    in: "body",
    names: ["server.location", "server.release_label", "wait_for_chef", "force"],
  },
  { route: "DELETE /servers/:server", in: "body", names: ["skip_snapshot"] },
  { route: "DELETE /servers/:server", in: "query", names: ["skip_snapshot"] },
  { route: /^POST .*\/apply$/, in: "body", names: ["type"] },
  { route: /^POST .*\/alerts$/, in: "body", names: ["alert.finished_at", "alert.ignored"] },
  {
    route: /^(PUT|PATCH) \/alerts\/:alert$/,
    in: "body",
    names: ["alert.external_id", "alert.ignored", "alert.severity"],
  },
  { route: "POST /database-servers/:database_server/snapshots", in: "body", names: ["name"] },
  { route: "POST /database-servers", in: "body", names: ["provider"] },
];
