// Provisions a network and removes it again, with fetch.
const { GANTRY_URL, GANTRY_TOKEN, GANTRY_PROVIDER } = process.env;

async function call(method, path, body) {
  const answer = await fetch(`${GANTRY_URL}${path}`, {
    method,
    headers: { Authorization: `Bearer ${GANTRY_TOKEN}`, "Content-Type": "application/json" },
    body: body && JSON.stringify(body),
  });
  const json = await answer.json();
  if (!answer.ok) throw new Error(`${method} ${path}: ${json.errors.join("; ")}`);
  return json;
}

/** Waits until a Request has ended, and throws if it failed. */
async function follow({ request }) {
  while (!request.finished_at) ({ request } = await call("GET", `/requests/${request.id}?wait=60`));
  console.log(request.request_status);
  if (!request.successful) throw new Error(request.message);
  return request;
}

const network = { cidr: "10.1.0.0/16", location: "us-east-1" };
const { resource } = await follow(await call("POST", "/networks", { provider: Number(GANTRY_PROVIDER), network }));
const { pathname } = new URL(resource);
console.log((await call("GET", pathname)).network.provisioned_id);

const { subnets } = await call("GET", `/subnets?network=${pathname.split("/").at(-1)}`);
for (const { id } of subnets) await follow(await call("DELETE", `/subnets/${id}`));
await follow(await call("DELETE", pathname));
