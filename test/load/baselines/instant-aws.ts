import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/*
 * An EC2 that accepts every call at once and remembers nothing, so that a benchmark measures Gantry rather than an
 * emulator. It knows the ids that the provision of a network needs; a call that only reads finds nothing.
 */
const CREATED: Record<string, [element: string, id: string, prefix: string]> = {
  CreateVpc: ["vpc", "vpcId", "vpc"],
  CreateSubnet: ["subnet", "subnetId", "subnet"],
  CreateInternetGateway: ["internetGateway", "internetGatewayId", "igw"],
  CreateRouteTable: ["routeTable", "routeTableId", "rtb"],
};

function responseTo(action: string): string {
  const [element, id, prefix] = CREATED[action] ?? [];
  const body = element
    ? `<${element}><${id}>${prefix}-${randomBytes(8).toString("hex")}</${id}></${element}>`
    : "<return>true</return>";
  return `<?xml version="1.0" encoding="UTF-8"?>
<${action}Response xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>0</requestId>${body}</${action}Response>`;
}

const server = createServer(async (input, response) => {
  const action = new URLSearchParams(await text(input)).get("Action") ?? "";
  response.writeHead(200, { "content-type": "text/xml;charset=UTF-8" }).end(responseTo(action));
});
// A connection that AWS closes while a call is on its way costs a create the time until AWS would show its object.
server.keepAliveTimeout = 600_000;
server.listen(0, "127.0.0.1");
await once(server, "listening");
for (const event of ["SIGTERM", "disconnect"]) process.on(event, () => process.exit(0));
process.send?.({ listening: (server.address() as AddressInfo).port });
