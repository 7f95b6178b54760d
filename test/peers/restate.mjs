// https://docs.restate.dev/develop/ts: a workflow with durable steps; the server calls it over HTTP/2 and retries it.
import * as restate from "@restatedev/restate-sdk";
import { send } from "./aws.mjs";
import { createNetwork } from "./network.mjs";
import { serve } from "./server.mjs";

const { INGRESS_URL, ADMIN_URL, SERVICE_PORT } = process.env;
const network = restate.workflow({
  name: "network",
  handlers: {
    run: (ctx) =>
      createNetwork(ctx.key, (calls) =>
        restate.RestatePromise.all(calls.map((call) => ctx.run(call.action, () => send(call)))),
      ),
  },
});
await restate.serve({ services: [network], port: Number(SERVICE_PORT) });
const json = { "content-type": "application/json" };
const uri = `http://127.0.0.1:${SERVICE_PORT}`;
await post(`${ADMIN_URL}/deployments`, { uri, force: true });

await serve(
  (id) => post(`${INGRESS_URL}/network/${id}/run/send`),
  async (id) => {
    const { status } = await fetch(`${INGRESS_URL}/restate/workflow/network/${id}/output`);
    return status === 200 ? "finished" : status === 470 ? "running" : "failed";
  },
);

async function post(url, body) {
  const response = await fetch(url, { method: "POST", ...(body && { headers: json, body: JSON.stringify(body) }) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} returned ${response.status}: ${text}`);
}
