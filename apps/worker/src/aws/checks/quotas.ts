import {
  DescribeAddressesCommand,
  DescribeInstancesCommand,
  DescribeInstanceTypesCommand,
  DescribeVpcsCommand,
  type Instance,
} from "@aws-sdk/client-ec2";
import { DescribeDBInstancesCommand } from "@aws-sdk/client-rds";
import { GetServiceQuotaCommand } from "@aws-sdk/client-service-quotas";
import type { Aws } from "../clients.js";
import { type Check, checked, type Outcome } from "./check.js";

/** AWS's quota of "running on-demand standard instances" counts these families, in vCPUs. */
const STANDARD = /^[acdhimrtz]\d/;

interface Quota {
  name: string;
  service: string;
  code: string;
  /** The share that the smallest provision needs. */
  needed: number;
  used: (aws: Aws) => Promise<number>;
}

const QUOTAS: readonly Quota[] = [
  { name: "VPCs", service: "vpc", code: "L-F678F1CE", needed: 1, used: countVpcs },
  { name: "elastic IPs", service: "ec2", code: "L-0263D0A3", needed: 1, used: countAddresses },
  { name: "vCPUs of standard instances", service: "ec2", code: "L-1216C47A", needed: 2, used: countCpus },
  { name: "RDS instances", service: "rds", code: "L-7B6409FD", needed: 1, used: countDatabases },
];

/** Compares quotas of a region with what is used. */
export function checkQuotas(aws: Aws): Promise<Check[]> {
  return Promise.all(
    QUOTAS.map(({ name, service, code, needed, used }) =>
      checked(`quota of ${name}`, aws.region, async () => {
        const [answer, count] = await Promise.all([
          aws.serviceQuotas.send(new GetServiceQuotaCommand({ ServiceCode: service, QuotaCode: code })),
          used(aws),
        ]);
        return outcomeOf({ name, count, limit: answer.Quota?.Value ?? 0, needed });
      }),
    ),
  );
}

function outcomeOf({
  name,
  count,
  limit,
  needed,
}: Record<"count" | "limit" | "needed", number> & { name: string }): Outcome {
  const reason = `${count} of ${limit} ${name} are used`;
  const advice = {
    remedy: "Ask AWS to raise the quota (Service Quotas), or remove unused resources",
    who: "owner",
  } as const;
  if (count + needed > limit)
    return { result: "fails", reason: `${reason}, but Gantry needs ${needed} more`, ...advice };
  return count >= limit * 0.8 ? { result: "warning", reason, ...advice } : { reason };
}

async function countVpcs({ ec2 }: Aws): Promise<number> {
  return (await ec2.send(new DescribeVpcsCommand({ MaxResults: 1000 }))).Vpcs?.length ?? 0;
}

async function countAddresses({ ec2 }: Aws): Promise<number> {
  return (await ec2.send(new DescribeAddressesCommand({}))).Addresses?.length ?? 0;
}

async function countCpus({ ec2 }: Aws): Promise<number> {
  const Filters = [{ Name: "instance-state-name", Values: ["pending", "running", "stopping"] }];
  const instances: Instance[] = [];
  let NextToken: string | undefined;
  do {
    const page = await ec2.send(
      new DescribeInstancesCommand({ Filters, MaxResults: 1000, ...(NextToken && { NextToken }) }),
    );
    instances.push(...(page.Reservations ?? []).flatMap(({ Instances }) => Instances ?? []));
    NextToken = page.NextToken;
  } while (NextToken);
  const types = instances
    .filter(({ InstanceLifecycle, InstanceType = "" }) => !InstanceLifecycle && STANDARD.test(InstanceType))
    .flatMap(({ InstanceType }) => InstanceType ?? []);
  if (types.length === 0) return 0;
  const described = await ec2.send(new DescribeInstanceTypesCommand({ InstanceTypes: [...new Set(types)] }));
  const cpus = new Map(
    described.InstanceTypes?.map(({ InstanceType, VCpuInfo }) => [InstanceType, VCpuInfo?.DefaultVCpus]),
  );
  return types.reduce((sum, type) => sum + (cpus.get(type) ?? 0), 0);
}

async function countDatabases({ rds }: Aws): Promise<number> {
  let count = 0;
  let Marker: string | undefined;
  do {
    const page = await rds.send(new DescribeDBInstancesCommand({ ...(Marker && { Marker }) }));
    count += page.DBInstances?.length ?? 0;
    Marker = page.Marker;
  } while (Marker);
  return count;
}
