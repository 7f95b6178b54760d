// https://docs.dbos.dev/typescript: workflows run in the process that starts them, which recovers its own after a crash.
import { DBOS } from "@dbos-inc/dbos-sdk";
import { send } from "./aws.mjs";
import { createNetwork } from "./network.mjs";
import { serve } from "./server.mjs";

const workflow = DBOS.registerWorkflow((id) => createNetwork(id, wave), { name: "createNetwork" });

/** Steps that start in the same order each time; its guide asks for `allSettled`. */
async function wave(calls) {
  const results = await Promise.allSettled(calls.map((call) => DBOS.runStep(() => send(call), { name: call.action })));
  const failed = results.find(({ status }) => status === "rejected");
  if (failed) throw failed.reason;
  return results.map(({ value }) => value);
}

DBOS.setConfig({ name: "peers", systemDatabaseUrl: process.env.DATABASE_URL, applicationVersion: "0.1.0" });
await DBOS.launch();

const RUNNING = ["PENDING", "ENQUEUED", "DELAYED"];
await serve(
  (id) => DBOS.startWorkflow(workflow, { workflowID: id })(id),
  async (id) => {
    const { status } = await DBOS.getWorkflowStatus(id);
    return status === "SUCCESS" ? "finished" : RUNNING.includes(status) ? "running" : "failed";
  },
);
