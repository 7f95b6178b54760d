import { DescribeAutoScalingGroupsCommand } from "@aws-sdk/client-auto-scaling";
import { DescribeVpcsCommand } from "@aws-sdk/client-ec2";
import { GetRoleCommand } from "@aws-sdk/client-iam";
import { DescribeDBInstancesCommand } from "@aws-sdk/client-rds";
import { GetServiceQuotaCommand } from "@aws-sdk/client-service-quotas";
import { GetParameterCommand } from "@aws-sdk/client-ssm";
import { GetCallerIdentityCommand } from "@aws-sdk/client-sts";
import { aws, REGION } from "@gantry/test/support/account";
import { answersOfService, errorOf } from "@gantry/test/support/passing-answers";
import { type Aws, awsOpener } from "../aws/clients.js";

/** A call to each service. */
const calls = {
  autoScaling: ({ noRetry }: Aws) => noRetry.autoScaling.send(new DescribeAutoScalingGroupsCommand({})),
  ec2: ({ noRetry }: Aws) => noRetry.ec2.send(new DescribeVpcsCommand({})),
  iam: ({ noRetry }: Aws) => noRetry.iam.send(new GetRoleCommand({ RoleName: "role" })),
  rds: ({ noRetry }: Aws) => noRetry.rds.send(new DescribeDBInstancesCommand({})),
  serviceQuotas: ({ noRetry }: Aws) =>
    noRetry.serviceQuotas.send(new GetServiceQuotaCommand({ ServiceCode: "vpc", QuotaCode: "L-F678F1CE" })),
  ssm: ({ noRetry }: Aws) => noRetry.ssm.send(new GetParameterCommand({ Name: "/image" })),
  sts: ({ noRetry }: Aws) => noRetry.sts.send(new GetCallerIdentityCommand({})),
};

// The matrix returns its answers to the callers of the SDK, without a call.
it.each(Object.keys(calls) as (keyof typeof calls)[])(
  "has the passing answers of %s as the SDK reads them",
  async (service) => {
    const account = await aws.createAccount();
    const opened = awsOpener(10)(REGION, account);
    for (const answer of answersOfService(service)) {
      await aws.refuse("*", { ...answer, times: 1, accessKeyId: account.accessKeyId });
      const error = await calls[service](opened).catch((each: unknown) => each);
      const { name, message, $metadata } = errorOf(answer) as Error & { $metadata: { httpStatusCode: number } };
      expect(error).toMatchObject({ name, message, $metadata: { httpStatusCode: $metadata.httpStatusCode } });
    }
  },
);
