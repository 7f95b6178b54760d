/*
 * The work of each peer: the calls of test/load/baselines/network-script.ts in the four waves that depend on each other.
 * Loads no module, because Temporal runs it in a sandbox.
 */
const ZONES = ["a", "b", "c", "d", "e", "f"].map((letter) => `us-east-1${letter}`);

/**
 * Creates a network by its calls.
 *
 * @param id the id of the network
 * @param wave sends calls of the form `{ action, input }` at the same time, each as a step of the engine, and returns the
 *   ids of what they created, in the same order
 */
export async function createNetwork(id, wave) {
  const [VpcId] = await wave([
    { action: "CreateVpc", input: { CidrBlock: "10.0.0.0/16", InstanceTenancy: "default", ...tags("vpc") } },
  ]);
  const subnets = ZONES.map((AvailabilityZone, i) => ({
    action: "CreateSubnet",
    input: { VpcId, CidrBlock: `10.0.${i * 16}.0/20`, AvailabilityZone, ...tags("subnet", `subnet/${id}-${i}`) },
  }));
  const [InternetGatewayId, RouteTableId, ...created] = await wave([
    { action: "CreateInternetGateway", input: tags("internet-gateway") },
    // A job that starts again creates another VPC, and AWS refuses the same token for it.
    { action: "CreateRouteTable", input: { VpcId, ClientToken: `${id}-${VpcId}`, ...tags("route-table") } },
    ...subnets,
    { action: "ModifyVpcAttribute", input: { VpcId, EnableDnsSupport: { Value: true } } },
    { action: "ModifyVpcAttribute", input: { VpcId, EnableDnsHostnames: { Value: true } } },
  ]);
  await wave([
    { action: "AttachInternetGateway", input: { InternetGatewayId, VpcId } },
    ...subnets.map((_, i) => ({ action: "AssociateRouteTable", input: { RouteTableId, SubnetId: created[i] } })),
  ]);
  const input = { RouteTableId, GatewayId: InternetGatewayId, DestinationCidrBlock: "0.0.0.0/0" };
  await wave([{ action: "CreateRoute", input }]);

  function tags(ResourceType, resource = `network/${id}`) {
    const pairs = {
      "gantry:account": "peers",
      "gantry:resource": resource,
      "gantry:request": id,
      "gantry:token": id,
      Name: `gantry-${resource.replace("/", "-")}`,
    };
    const Tags = Object.entries(pairs).map(([Key, Value]) => ({ Key, Value }));
    return { TagSpecifications: [{ ResourceType, Tags }] };
  }
}
