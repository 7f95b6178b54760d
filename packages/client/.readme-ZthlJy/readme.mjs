import { Gantry } from "@gantry/client";

const gantry = new Gantry({ account: process.env.GANTRY_ACCOUNT });
const provider = Number(process.env.GANTRY_PROVIDER);
const { name } = await gantry.accounts.get(process.env.GANTRY_ACCOUNT);

const input = { provider, network: { cidr: "10.4.0.0/16", location: "us-east-1" } };
const { creates, estimate } = await gantry.networks.create.plan(input);
const request = await gantry.networks.create(input);
const network = await request.done({ onEvent: ({ type, message }) => console.log(type, message) });

const text = String(request);
await gantry.requests.resume(text).done();

for await (const subnet of gantry.subnets.list({ network: network.id })) await gantry.subnets.delete(subnet).done();
const newest = await gantry.requests.list({ type: "provision_network" }).first();
const few = await gantry.servers.list().toArray({ max: 20 });
const { items, total, next } = await gantry.networks.list({ per_page: 10 }).page();
await gantry.networks.delete(network).done();

import { NotFound } from "@gantry/client";

const gone = await gantry.networks.get(network).catch((error) => {
  if (error instanceof NotFound) return undefined;
  throw error;
});

const stream = gantry.accounts.events(process.env.GANTRY_ACCOUNT, { types: ["request.finished"] });
for await (const event of stream) {
  console.log(event.subject.url, stream.cursor);
  break;
}

console.log(JSON.stringify({ name, creates, gone: gone?.deleted_at, items: items.length, newest: newest.id }));
