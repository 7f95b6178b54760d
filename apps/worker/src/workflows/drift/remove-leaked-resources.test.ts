import { aws } from "@gantry/test/support/account";
import { awsTestContext } from "@gantry/test/support/aws-test-context";
import { recordJobs } from "@gantry/test/support/recorded-jobs";
import { createRequestOf, requestNetwork } from "@gantry/test/support/work";
import { retryLeaks } from "../../engine/leaks.js";

const context = awsTestContext();

const refuse = (action: string) => {
  const { accessKeyId } = context.customer.awsAccount;
  return aws.refuse(action, { code: "UnauthorizedOperation", times: 1, accessKeyId });
};
const requestOf = (id: string) => context.db.request.findUniqueOrThrow({ where: { id } });
const vpcs = async () => (await aws.inventory(context.customer.awsAccount, { kinds: ["vpc"] })).vpc.map(({ id }) => id);
const makeDue = (id: string) => context.db.request.update({ where: { id }, data: { leakRetryAt: new Date(0) } });
const minutesFromNow = (time: Date | null) => ((time?.getTime() ?? 0) - Date.now()) / 60_000;

/** Has a network's Request fail and leave its VPC in AWS. */
async function leakVpc() {
  const { networkId, requestId } = await requestNetwork(context.db, context.customer, { skipSubnets: true });
  await refuse("AttachInternetGateway");
  await refuse("DeleteVpc");
  const failed = await context.outcome(requestId);
  const [left] = failed.leakedResources as { kind: string; id: string }[];
  expect(left).toMatchObject({ kind: "vpc", id: expect.stringMatching(/^vpc-/) });
  return { networkId, requestId, vpcId: left?.id as string, retryAt: failed.leakRetryAt };
}

/** Creates the removals that are due; returns those of the test's account. */
async function retried() {
  await retryLeaks(context.db, recordJobs());
  const { accountId } = context.customer;
  return context.db.request.findMany({
    where: { accountId, type: "remove_leaked_resources" },
    orderBy: { seq: "asc" },
  });
}

it("is created when due, one at a time, at growing intervals, until nothing is left in AWS", async () => {
  const { requestId, vpcId, retryAt } = await leakVpc();
  expect(minutesFromNow(retryAt)).toBeGreaterThan(3);
  expect(await retried()).toEqual([]);
  await makeDue(requestId);
  const [removal] = await retried();
  await makeDue(requestId);
  expect(await retried()).toHaveLength(1);

  await refuse("DeleteVpc");
  const failed = await context.outcome(removal?.id as string);
  expect(failed).toMatchObject({ successful: false, leakedResources: [], userId: null });
  expect(failed.message).toMatch(
    `These objects remain in AWS: VPC ${vpcId}: The provider's credentials lack the permission ec2:DeleteVpc`,
  );
  const { leakRetries, leakRetryAt } = await requestOf(requestId);
  expect(leakRetries).toBe(2);
  expect(minutesFromNow(leakRetryAt)).toBeGreaterThan(60);

  await makeDue(requestId);
  const again = (await retried()).at(-1)?.id as string;
  expect(await context.outcome(again)).toMatchObject({ successful: true, message: null });
  expect((await requestOf(requestId)).leakedResources).toEqual([]);
  expect(await vpcs()).not.toContain(vpcId);
  await makeDue(requestId);
  expect(await retried()).toHaveLength(2);
});

it("keeps what a later Request of the same type uses, and removes it from the list", async () => {
  const { networkId, requestId, vpcId } = await leakVpc();
  await context.db.network.update({ where: { id: networkId }, data: { deletedAt: null } });
  const resource = { type: "network", id: networkId } as const;
  const again = await createRequestOf(context.db, context.customer, "provision_network", resource, {
    skipSubnets: true,
  });
  expect(await context.outcome(again)).toMatchObject({ successful: true });
  expect(await vpcs()).toContain(vpcId);
  await makeDue(requestId);
  const [removal] = await retried();
  expect(await context.outcome(removal?.id as string)).toMatchObject({ successful: true });
  expect(await vpcs()).toContain(vpcId);
  expect((await requestOf(requestId)).leakedResources).toEqual([]);
});
