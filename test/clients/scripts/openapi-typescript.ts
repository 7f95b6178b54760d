// Provisions a network and removes it, with types by openapi-typescript.
import createClient from "openapi-fetch";
import type { components, paths } from "../generated/openapi-typescript.js";

const { GANTRY_URL = "", GANTRY_TOKEN, GANTRY_PROVIDER } = process.env;
const client = createClient<paths>({ baseUrl: GANTRY_URL, headers: { Authorization: `Bearer ${GANTRY_TOKEN}` } });

type Request = components["schemas"]["Request"];

function created(data: { request: Request } | { plan: unknown } | undefined): Request {
  if (!data || !("request" in data)) throw new Error("no Request was created");
  return data.request;
}

async function ended({ id }: Request): Promise<Request> {
  for (;;) {
    const { data } = await client.GET("/requests/{request}", {
      params: { path: { request: id }, query: { wait: 30 } },
    });
    if (!data) throw new Error("the Request cannot be read");
    if (["finished", "failed", "cancelled"].includes(data.request.state)) return data.request;
  }
}

const network = { cidr: "10.0.0.0/16", location: "us-east-1", skip_subnets: true, private_subnets: false };
const creation = await client.POST("/networks", { body: { provider: Number(GANTRY_PROVIDER), network } });
const provisioned = await ended(created(creation.data));
const id = String(provisioned.subject?.id);
console.log(provisioned.state, id);
const removal = await client.DELETE("/networks/{network}", { params: { path: { network: id } } });
console.log((await ended(created(removal.data))).state);
