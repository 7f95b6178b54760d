import { randomUUID } from "node:crypto";
import { Agent } from "node:http";
import {
  AssociateRouteTableCommand,
  AttachInternetGatewayCommand,
  CreateInternetGatewayCommand,
  CreateRouteCommand,
  CreateRouteTableCommand,
  CreateSubnetCommand,
  CreateVpcCommand,
  EC2Client,
  ModifyVpcAttributeCommand,
  type ResourceType,
} from "@aws-sdk/client-ec2";
import type { AwsAccount } from "@gantry/local-stack";
import { NodeHttpHandler } from "@smithy/node-http-handler";

interface Settings {
  endpoint: string;
  region: string;
  credentials: AwsAccount;
  zones: string[];
}

/** Returns a script that creates a network by the calls of the workflow, each as early as possible. */
export function networkScript({ endpoint, region, credentials, zones }: Settings): () => Promise<void> {
  const httpAgent = new Agent({ keepAlive: true, maxSockets: 256 });
  const ec2 = new EC2Client({ endpoint, region, credentials, requestHandler: new NodeHttpHandler({ httpAgent }) });

  return async () => {
    const ids = { account: randomUUID(), request: randomUUID() };
    const network = `network/${randomUUID()}`;
    const { Vpc } = await ec2.send(
      new CreateVpcCommand({
        CidrBlock: "10.0.0.0/16",
        InstanceTenancy: "default",
        TagSpecifications: tags("vpc", network),
      }),
    );
    const VpcId = Vpc?.VpcId;
    const names = [{ EnableDnsSupport: { Value: true } }, { EnableDnsHostnames: { Value: true } }].map((attribute) =>
      ec2.send(new ModifyVpcAttributeCommand({ VpcId, ...attribute })),
    );
    const gateway = attachedGateway();
    const table = ec2
      .send(
        new CreateRouteTableCommand({
          VpcId,
          ClientToken: randomUUID(),
          TagSpecifications: tags("route-table", network),
        }),
      )
      .then(({ RouteTable }) => RouteTable?.RouteTableId);
    await Promise.all([...names, ...zones.map(routedSubnet), route()]);

    async function attachedGateway(): Promise<string | undefined> {
      const { InternetGateway } = await ec2.send(
        new CreateInternetGatewayCommand({ TagSpecifications: tags("internet-gateway", network) }),
      );
      const InternetGatewayId = InternetGateway?.InternetGatewayId;
      await ec2.send(new AttachInternetGatewayCommand({ InternetGatewayId, VpcId }));
      return InternetGatewayId;
    }

    async function routedSubnet(AvailabilityZone: string, i: number): Promise<void> {
      const CidrBlock = `10.0.${i * 16}.0/20`;
      const TagSpecifications = tags("subnet", `subnet/${randomUUID()}`);
      const [{ Subnet }, RouteTableId] = await Promise.all([
        ec2.send(new CreateSubnetCommand({ VpcId, CidrBlock, AvailabilityZone, TagSpecifications })),
        table,
      ]);
      await ec2.send(new AssociateRouteTableCommand({ RouteTableId, SubnetId: Subnet?.SubnetId }));
    }

    async function route(): Promise<void> {
      const [RouteTableId, GatewayId] = await Promise.all([table, gateway]);
      await ec2.send(new CreateRouteCommand({ RouteTableId, GatewayId, DestinationCidrBlock: "0.0.0.0/0" }));
    }

    function tags(type: ResourceType, resource: string) {
      const pairs = {
        "gantry:account": ids.account,
        "gantry:resource": resource,
        "gantry:request": ids.request,
        "gantry:token": randomUUID(),
        Name: `gantry-${resource.replace("/", "-")}`,
      };
      return [{ ResourceType: type, Tags: Object.entries(pairs).map(([Key, Value]) => ({ Key, Value })) }];
    }
  };
}
