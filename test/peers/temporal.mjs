// https://docs.temporal.io/develop/typescript: the worker bundles the workflow and runs it in a sandbox.
import { fileURLToPath } from "node:url";
import { Client, Connection } from "@temporalio/client";
import { NativeConnection, Worker } from "@temporalio/worker";
import { send } from "./aws.mjs";
import { serve } from "./server.mjs";

const address = process.env.TEMPORAL_ADDRESS;
const taskQueue = "networks";
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue,
  workflowsPath: fileURLToPath(new URL("temporal-workflow.mjs", import.meta.url)),
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
