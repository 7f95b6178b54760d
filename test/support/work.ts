import { randomUUID } from "node:crypto";
import { type Db, insertInto, type Prisma, type Request } from "@gantry/db";
import { createRequest } from "@gantry/requests";
import type { InputOf, RequestType, ResourceType } from "@gantry/resources";
import type { TestAccount } from "./account.js";
import { REGION } from "./account.js";
import { until } from "./until.js";

/** Creates a Request as the API does, without the API. */
export async function createRequestOf<Name extends RequestType>(
  db: Db,
  { accountId }: Pick<TestAccount, "accountId">,
  type: Name,
  resource: { type: ResourceType; id: string | number },
  input: InputOf<Name>,
): Promise<string> {
  const traceId = randomUUID().replaceAll("-", "");
  const { id } = await createRequest(db, { type, accountId, resource, input, traceId });
  return id;
}

/** Accepts a network and its Request. */
export async function requestNetwork(
  db: Db,
  { accountId, provider }: Tenant,
  { cidr = "10.0.0.0/16", skipSubnets = false, privateSubnets = false } = {},
): Promise<{ networkId: string; requestId: string }> {
  const networkId = randomUUID();
  const columns = { id: networkId, accountId, providerId: provider.id, location: REGION, cidr, privateSubnets };
  const row = insertInto("networks", columns);
  const traceId = randomUUID().replaceAll("-", "");
  const resource = { type: "network", id: networkId } as const;
  const request = { type: "provision_network", accountId, resource, input: { skipSubnets }, traceId } as const;
  const { id } = await createRequest(db, request, [row]);
  return { networkId, requestId: id };
}

type Tenant = Pick<TestAccount, "accountId" | "provider">;

/** Accepts a subnet of an existing network, and its Request. */
export async function requestSubnet(db: Db, tenant: Tenant, networkId: string, cidr: string, location: string) {
  const id = randomUUID();
  const row = insertInto("subnets", { id, accountId: tenant.accountId, networkId, cidr, location });
  return requestWith(db, tenant, "provision_subnet", { type: "subnet", id }, row);
}

/** Accepts an IAM role with its own policy, and its Request. */
export async function requestIamRole(
  db: Db,
  tenant: Tenant,
  changes: { userManagedPolicy?: boolean; name?: string } = {},
) {
  const id = randomUUID();
  const { accountId, provider } = tenant;
  const row = insertInto("iam_roles", {
    id,
    accountId,
    providerId: provider.id,
    name: `role-${accountId.slice(0, 8)}`,
    policy: { Version: "2012-10-17", Statement: [{ Effect: "Allow", Action: "s3:ListBucket", Resource: "*" }] },
    assumeRolePolicyDocument: {
      Version: "2012-10-17",
      Statement: [{ Effect: "Allow", Principal: { Service: ["ec2.amazonaws.com"] }, Action: "sts:AssumeRole" }],
    },
    ...changes,
  });
  return requestWith(db, tenant, "provision_iam_role", { type: "iam_role", id }, row);
}

async function requestWith(
  db: Db,
  { accountId }: Tenant,
  type: "provision_subnet" | "provision_iam_role",
  resource: { type: ResourceType; id: string },
  row: Prisma.Sql,
): Promise<{ id: string; requestId: string }> {
  const traceId = randomUUID().replaceAll("-", "");
  const { id } = await createRequest(db, { type, accountId, resource, input: {}, traceId }, [row]);
  return { id: resource.id, requestId: id };
}

/** The Request when it has ended. */
export function ended(db: Db, requestId: string): Promise<Request> {
  return until(() => db.request.findFirst({ where: { id: requestId, finishedAt: { not: null } } }));
}
