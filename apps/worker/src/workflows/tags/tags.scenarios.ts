import { deepEqual } from "node:assert/strict";
import { DescribeTagsCommand } from "@aws-sdk/client-ec2";
import { ListPoliciesCommand, ListPolicyTagsCommand, ListRoleTagsCommand } from "@aws-sdk/client-iam";
import { Prisma, tableOf } from "@gantry/db";
import { idTypeOf, modelOf, type ResourceType, type Tags } from "@gantry/resources";
import type { ScenarioContext, Scenarios } from "@gantry/test/support/scenario";
import { createRequestOf, requestIamRole, requestNetwork } from "@gantry/test/support/work";
import type { Aws } from "../../aws/clients.js";

export interface Tagged {
  type: ResourceType;
  id: string | number;
}

/** Sets the tags of records, and creates the Request that brings their objects to them. */
export async function requestTags(
  { db, customer }: Pick<ScenarioContext, "db" | "customer">,
  [first, ...others]: [Tagged, ...Tagged[]],
  tags: Tags,
  removed: string[] = [],
): Promise<string> {
  const all = [first, ...others];
  for (const { type, id } of all) {
    const table = Prisma.raw(`"${tableOf(modelOf(type))}"`);
    const key = Prisma.sql`${String(id)}::${Prisma.raw(idTypeOf(type))}`;
    await db.$executeRaw`UPDATE ${table} SET tags = ${JSON.stringify(tags)}::jsonb WHERE id = ${key}`;
  }
  const records = all.map(({ type, id }) => ({ type, id: String(id), removed }));
  return createRequestOf(db, customer, "update_tags", first, { records });
}

const isOwn = ([key]: [string, string]) => !/^(Name$|gantry:|aws:)/.test(key);

const asOwn = (tags: { Key?: string | undefined; Value?: string | undefined }[] = []) =>
  Object.fromEntries(tags.map(({ Key = "", Value = "" }): [string, string] => [Key, Value]).filter(isOwn));

/** The tags that an object of EC2 has in addition to Gantry's. */
export async function ownTagsInEc2({ ec2 }: Pick<Aws, "ec2">, id: string): Promise<Tags> {
  const { Tags = [] } = await ec2.send(new DescribeTagsCommand({ Filters: [{ Name: "resource-id", Values: [id] }] }));
  return asOwn(Tags);
}

export const tagScenarios = {
  update_tags: {
    createRequest: async (context) => {
      const { db, customer, finishRequests } = context;
      const { networkId } = await requestNetwork(db, customer, { skipSubnets: true });
      const { id } = await requestIamRole(db, customer, { userManagedPolicy: true });
      await finishRequests();
      const records: [Tagged, Tagged] = [
        { type: "network", id: networkId },
        { type: "iam_role", id },
      ];
      await requestTags(context, records, { team: "shop", former: "x" });
      await finishRequests();
      return requestTags(context, records, { team: "web", cost: "" }, ["former"]);
    },
    afterSuccess: { vpc: 1, internet_gateway: 1, route_table: 1, role: 1, policy: 1, instance_profile: 1 },
    verify: async ({ db, aws }, { input }) => {
      const [network, role] = input.records;
      const objects = await db.cloudObject.findMany({ where: { resourceId: network?.id ?? "", removedAt: null } });
      const wanted = { team: "web", cost: "" };
      for (const { cloudId } of objects) deepEqual(await ownTagsInEc2(aws, cloudId ?? ""), wanted);
      const { name } = await db.iamRole.findUniqueOrThrow({ where: { id: role?.id ?? "" } });
      deepEqual(asOwn((await aws.iam.send(new ListRoleTagsCommand({ RoleName: name }))).Tags), wanted);
      const { Policies = [] } = await aws.iam.send(new ListPoliciesCommand({ Scope: "Local" }));
      const PolicyArn = Policies.find(({ PolicyName }) => PolicyName === name)?.Arn;
      deepEqual(asOwn((await aws.iam.send(new ListPolicyTagsCommand({ PolicyArn }))).Tags), wanted);
    },
  },
} satisfies Scenarios;
