// Provisions a network and removes it, with a client by hey-api.
import { client } from "../generated/hey-api/client.gen.js";
import { createNetwork, deleteNetwork, getRequest } from "../generated/hey-api/sdk.gen.js";
import type { Request } from "../generated/hey-api/types.gen.js";

const { GANTRY_URL = "", GANTRY_TOKEN, GANTRY_PROVIDER } = process.env;
client.setConfig({ baseUrl: GANTRY_URL, auth: () => GANTRY_TOKEN });

function created(data: { request: Request } | { plan: unknown }): Request {
  if (!("request" in data)) throw new Error("no Request was created");
  return data.request;
}

async function ended({ id }: Request): Promise<Request> {
  for (;;) {
    const { data } = await getRequest({ path: { request: id }, query: { wait: 30 }, throwOnError: true });
    if (["finished", "failed", "cancelled"].includes(data.request.state)) return data.request;
  }
}

const network = { cidr: "10.0.0.0/16", location: "us-east-1", skip_subnets: true };
const creation = await createNetwork({ body: { provider: Number(GANTRY_PROVIDER), network }, throwOnError: true });
const provisioned = await ended(created(creation.data));
const id = String(provisioned.subject?.id);
console.log(provisioned.state, id);
const removal = await deleteNetwork({ path: { network: id }, throwOnError: true });
console.log((await ended(created(removal.data))).state);
