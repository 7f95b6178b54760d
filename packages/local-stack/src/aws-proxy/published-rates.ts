import { type Call, listParam } from "./call.js";
import { TokenBucket } from "./token-bucket.js";

type Rate = readonly [burst: number, perSecond: number];

/** The tokens that a call takes from a bucket. */
interface TokenCost {
  bucket: string;
  rate: Rate;
  count: number;
}

// Copied by hand from https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html, independently of the worker's
// table: an error in one of the two tables shows as a throttled call.
const READ: Rate = [100, 20];
const READ_UNFILTERED: Rate = [50, 10];
const WRITE: Rate = [50, 5];

const RATED_UNFILTERED =
  /^Describe(Instances|InstanceStatus|NetworkInterfaces|SecurityGroups|Snapshots|SpotInstanceRequests|Volumes)$/;

const UNCATEGORIZED: Record<string, Rate> = {
  AssociateIamInstanceProfile: [100, 5],
  CreateLaunchTemplateVersion: [100, 5],
  CreateNatGateway: [10, 1],
  CreateNetworkInterface: [100, 5],
  CreateSnapshot: [100, 5],
  CreateTags: [100, 10],
  CreateVolume: [100, 5],
  DeleteNetworkInterface: [100, 5],
  DeleteSnapshot: [100, 5],
  DeleteTags: [100, 10],
  DeleteVolume: [100, 5],
  DisassociateIamInstanceProfile: [100, 5],
  RunInstances: [5, 2],
  StartInstances: [5, 2],
  TerminateInstances: [100, 5],
};

/** Additional buckets; a call takes one token for each instance. */
const BY_INSTANCE: Record<string, Rate> = {
  RunInstances: [1000, 2],
  StartInstances: [1000, 2],
  StopInstances: [1000, 20],
  TerminateInstances: [1000, 20],
};

/** Enforces EC2's published rates in selected AWS accounts, with a bucket for each region and action. */
export class PublishedRates {
  private readonly enforced = new Map<string, Map<string, TokenBucket>>();

  constructor(private readonly now = () => performance.now()) {}

  /** Enforces the rates in an AWS account from now on, with full buckets. */
  enforceFor(accountId: string): void {
    this.enforced.set(accountId, new Map());
  }

  /** Takes a call's tokens; returns false and takes none for a call above a rate. */
  allow(call: Call, accountId: string): boolean {
    const buckets = this.enforced.get(accountId);
    if (!buckets || call.service !== "ec2") return true;
    const costs = costsOf(call).map(({ bucket: name, rate: [burst, perSecond], count }) => {
      const key = `${call.region} ${name}`;
      const bucket = buckets.get(key) ?? new TokenBucket(perSecond, burst, this.now);
      buckets.set(key, bucket);
      return { bucket, count };
    });
    return costs.every(({ bucket, count }) => bucket.has(count)) && costs.every((each) => each.bucket.take(each.count));
  }
}

function costsOf({ action, params }: Call): TokenCost[] {
  const costs = [requestCost(action, params)];
  const rate = BY_INSTANCE[action];
  const instances = action === "RunInstances" ? Number(params.MaxCount ?? 1) : listParam(params, "InstanceId").length;
  if (rate) costs.push({ bucket: `${action} instances`, rate, count: instances });
  return costs;
}

function requestCost(action: string, params: Record<string, string>): TokenCost {
  const uncategorized = UNCATEGORIZED[action];
  if (uncategorized) return { bucket: action, rate: uncategorized, count: 1 };
  if (!/^(Describe|Get|List|Search)/.test(action)) return { bucket: action, rate: WRITE, count: 1 };
  const isFiltered = Object.keys(params).some((name) => /^(Filter\.|MaxResults$|NextToken$)/.test(name));
  if (RATED_UNFILTERED.test(action) && !isFiltered)
    return { bucket: `${action} of all`, rate: READ_UNFILTERED, count: 1 };
  return { bucket: action, rate: READ, count: 1 };
}
