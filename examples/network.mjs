// Provisions a network and removes it again, with the client.
import { Gantry } from "@gantry/client";

const gantry = new Gantry();
const provider = Number(process.env.GANTRY_PROVIDER);
const print = (request) => console.log(request.record.request_status);

const creation = await gantry.networks.create({ provider, network: { cidr: "10.1.0.0/16", location: "us-east-1" } });
const network = await creation.done();
print(creation);
console.log(network.provisioned_id);

for await (const subnet of gantry.subnets.list({ network: network.id })) await gantry.subnets.delete(subnet).done();
const removal = await gantry.networks.delete(network);
await removal.done();
print(removal);
