import { type Env, whyServersCannotReport } from "@gantry/runtime";
import { conflict } from "../../http/errors/errors.js";

/** @throws 409 if new servers on AWS itself could not report to this Gantry, with the operator's alternatives */
export function requireReachableReports(env: Env): void {
  const problem = whyServersCannotReport(env);
  if (problem) throw conflict(problem);
}
