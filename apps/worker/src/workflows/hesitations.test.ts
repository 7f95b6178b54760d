import { aws } from "@gantry/test/support/account";
import { awsTestContext } from "@gantry/test/support/aws-test-context";
import { requestIamRole, requestNetwork } from "@gantry/test/support/work";

const context = awsTestContext();

/** Requests by what they make. */
const requests = {
  network: () => requestNetwork(context.db, context.customer),
  role: () => requestIamRole(context.db, context.customer, { userManagedPolicy: true }),
};

const DIFFERENT_NETWORKS = "route table rtb-1 and network gateway igw-1 belong to different networks";

it.each<[keyof typeof requests, string, string, string?]>([
  ["network", "CreateRoute", "InvalidGatewayID.NotFound"],
  ["network", "CreateRoute", "InvalidParameterValue", DIFFERENT_NETWORKS],
  ["network", "AssociateRouteTable", "InvalidSubnetID.NotFound"],
  ["network", "AttachInternetGateway", "InvalidInternetGatewayID.NotFound"],
  ["role", "AttachRolePolicy", "NoSuchEntity"],
  ["role", "AddRoleToInstanceProfile", "NoSuchEntity"],
  ["role", "GetInstanceProfile", "NoSuchEntity"],
  ["role", "CreatePolicy", "ConcurrentModification"],
])("creates one %s although AWS once answers %s with %s", async (made, action, code, message = "Not yet.") => {
  const { accessKeyId } = context.customer.awsAccount;
  await aws.refuse(action, { code, message, times: 1, accessKeyId });
  const { requestId } = await requests[made]();
  expect(await context.outcome(requestId)).toMatchObject({ successful: true, message: null });
  const refused = (await aws.calls({ action, accessKeyId })).filter(({ errorCode }) => errorCode === code);
  expect(refused).toHaveLength(1);
  const { vpc, role } = await aws.inventory({ accessKeyId }, { kinds: ["vpc", "role"] });
  expect([vpc.length, role.length]).toEqual(made === "network" ? [1, 0] : [0, 1]);
});
