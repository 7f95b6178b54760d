// https://docs.temporal.io/develop/typescript: the worker runs a bundle of the workflow, which production makes in advance.
import { existsSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Client, Connection } from "@temporalio/client";
import { bundleWorkflowCode, NativeConnection, Worker } from "@temporalio/worker";
import { send } from "./aws.mjs";
import { serve } from "./server.mjs";

const address = process.env.TEMPORAL_ADDRESS;
const taskQueue = "networks";
const codePath = resolve("workflow-bundle.js");
if (!existsSync(codePath)) {
  const workflowsPath = fileURLToPath(new URL("temporal-workflow.mjs", import.meta.url));
  writeFileSync(codePath, (await bundleWorkflowCode({ workflowsPath })).code);
}
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue,
  workflowBundle: { codePath },
  activities: { send },
});
worker.run().catch((error) => {
  console.error(error);
  process.exit(1);
});
const { workflow } = new Client({ connection: await Connection.connect({ address }) });

const STATES = { COMPLETED: "finished", RUNNING: "running" };
await serve(
  (id) => workflow.start("network", { taskQueue, workflowId: id, args: [id] }),
  async (id) => STATES[(await workflow.getHandle(id).describe()).status.name] ?? "failed",
);
