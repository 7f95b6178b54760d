import { REMEDIES } from "@gantry/runtime";
import type { Outcome } from "../../aws/checks/check.js";
import { PermanentFailure } from "../../engine/stage-errors.js";
import type { Callback } from "../../engine/workflow.js";

const TIMEOUT_MS = 5000;

/** Whether new servers can report to the API, as far as a worker can determine from outside AWS. */
export async function checkReportAddress(callback: () => Callback | undefined): Promise<Outcome> {
  let url: string;
  try {
    const found = callback();
    if (!found) {
      const reason = "SERVER_REPORTS=none: servers do not report, so Gantry does not notice a failed first boot";
      return { result: "warning", reason };
    }
    url = found.url;
  } catch (error) {
    if (!(error instanceof PermanentFailure)) throw error;
    const reason = error.message.replace(`. ${REMEDIES}`, "");
    return { result: "fails", reason, remedy: REMEDIES, who: "operator" };
  }
  const base = url.replace(/\/requests\/[^/]+\/callback$/, "");
  const problem = await problemOf(`${base}/health/live`);
  if (!problem) return { reason: `${base} responds from the worker's network; AWS may see it differently` };
  const reason = `${base} does not respond from the worker's network: ${problem}`;
  return { result: "fails", reason, remedy: "Set BASE_URL to a URL of the API that AWS can reach", who: "operator" };
}

async function problemOf(url: string): Promise<string | undefined> {
  try {
    const { ok, status, body } = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: "error" });
    await body?.cancel();
    return ok ? undefined : `it returned ${status}`;
  } catch (error) {
    const { cause, name } = error as Error & { cause?: NodeJS.ErrnoException };
    return cause?.code ?? cause?.message ?? name;
  }
}
