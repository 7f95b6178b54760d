/** A rate of calls: `burst` at once, then `perSecond`. */
export interface Rate {
  burst: number;
  perSecond: number;
}

/** The rate to which AWS limits a call, and the name of the bucket that calls of the same account and region share. */
export interface RateLimit {
  bucket: string;
  rate: Rate;
}

const rate = (burst: number, perSecond: number): Rate => ({ burst, perSecond });

/** Matches the names of actions that change nothing. */
export const READ_ACTION = /^(Describe|Get|List|Search)/;

// https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html: each action has its own bucket. Reads that are
// neither filtered nor paged have a smaller one; this worker makes none.
const EC2_READ = rate(100, 20);
const EC2_WRITE = rate(50, 5);

const EC2_ACTIONS: Readonly<Record<string, Rate>> = {
  AssociateIamInstanceProfile: rate(100, 5),
  CreateNatGateway: rate(10, 1),
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

/** The rate for services that publish none. */
const UNPUBLISHED = rate(20, 5);

/**
 * Returns the limit of an action of a service, as the SDK names them.
 *
 * EC2's second limit for calls that start and end instances, by the number of instances, needs no bucket: each call concerns
 * one instance, and the limit on calls is the lower one.
 */
export function rateLimitOf(service: string, action: string): RateLimit {
  if (service !== "EC2") return { bucket: service, rate: SERVICES[service] ?? UNPUBLISHED };
  return { bucket: `EC2:${action}`, rate: EC2_ACTIONS[action] ?? classOf(action) };
}

function classOf(action: string): Rate {
  return READ_ACTION.test(action) ? EC2_READ : EC2_WRITE;
}
