/** How often something may be done: so many at once, then so many a second. */
export interface Rate {
  burst: number;
  perSecond: number;
}

/** The rate that AWS holds a call to, and the bucket of its region that it shares with others. */
export interface RateLimit {
  bucket: string;
  rate: Rate;
}

const rate = (burst: number, perSecond: number): Rate => ({ burst, perSecond });

/** Matches the names of actions that change nothing. */
export const READ_ACTION = /^(Describe|Get|List|Search)/;

// https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html: each action has a bucket of its own. Reads
// that are neither filtered nor paged have a smaller one; there are none of them here.
const EC2_READ = rate(100, 20);
const EC2_WRITE = rate(50, 5);

const EC2_ACTIONS: Readonly<Record<string, Rate>> = {
  AssociateIamInstanceProfile: rate(100, 5),
  CreateSnapshot: rate(100, 5),
  CreateTags: rate(100, 10),
  CreateVolume: rate(100, 5),
  DeleteSnapshot: rate(100, 5),
  DeleteVolume: rate(100, 5),
  DisassociateIamInstanceProfile: rate(100, 5),
  RunInstances: rate(5, 2),
  StartInstances: rate(5, 2),
  TerminateInstances: rate(100, 5),
};

/** Services whose actions share one bucket. */
const SERVICES: Readonly<Record<string, Rate>> = {
  // https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/rds-api-throttling.html
  RDS: rate(300, 12),
  // https://docs.aws.amazon.com/general/latest/gr/ssm.html: GetParameter.
  SSM: rate(40, 40),
};

/** For services that publish none: a modest one. */
const UNPUBLISHED = rate(20, 5);

/**
 * What a call costs.
 *
 * The second bucket of calls that start and end instances, by their number, needs no asking: the calls concern one
 * instance each, and the first bucket never lets more of them pass.
 */
export function rateLimitOf(service: string, action: string): RateLimit {
  if (service !== "EC2") return { bucket: service, rate: SERVICES[service] ?? UNPUBLISHED };
  return { bucket: `EC2:${action}`, rate: EC2_ACTIONS[action] ?? classOf(action) };
}

function classOf(action: string): Rate {
  return READ_ACTION.test(action) ? EC2_READ : EC2_WRITE;
}
