import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { EC2Client } from "@aws-sdk/client-ec2";
import { IAMClient } from "@aws-sdk/client-iam";
import { RDSClient } from "@aws-sdk/client-rds";
import { ServiceQuotasClient } from "@aws-sdk/client-service-quotas";
import { SSMClient } from "@aws-sdk/client-ssm";
import { STSClient } from "@aws-sdk/client-sts";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { callMetrics, callSpan, errorFacts, leaseCheck, type Plugin, traceHeader } from "./clients.middleware.js";
import { type AcquireToken, type Priority, rateLimit } from "./rate-limit/rate-limited-client.js";
import { ownIdentity } from "./sts/own-identity.js";
import { type AssumableRole, sessionOpener } from "./sts/session.js";

/** Represents the credentials of the worker itself, which the AWS SDK finds in its surroundings. */
export const OWN_IDENTITY = "own identity";

/** The credentials of an AWS account: a role that trusts Gantry, an access key pair, or the worker's own identity. */
export type AwsCredentials = AssumableRole | { accessKeyId: string; secretAccessKey: string } | typeof OWN_IDENTITY;

interface Clients {
  autoScaling: AutoScalingClient;
  ec2: EC2Client;
  iam: IAMClient;
  rds: RDSClient;
  serviceQuotas: ServiceQuotasClient;
  ssm: SSMClient;
  sts: STSClient;
}

/**
 * The clients of one provider in one region, created at their first use. The clients send a call up to three times.
 *
 * `noRetry` clients send a call once: AWS may have carried out a create whose response was lost, so the object is
 * looked up before the create is repeated. `background` clients send a call once too, and only while the rate limits
 * are mostly unused.
 */
export interface Aws extends Clients {
  region: string;
  /** The public parameter of Systems Manager that names the image of new servers. */
  serverImage: string;
  noRetry: Clients;
  background: Clients;
}

const sockets = { keepAlive: true, maxSockets: 256 };

// All clients share one connection pool: the credentials distinguish accounts, not the socket.
function createHttpHandler(callSeconds: number): NodeHttpHandler {
  return new NodeHttpHandler({
    connectionTimeout: 3000,
    requestTimeout: callSeconds * 1000,
    throwOnRequestTimeout: true,
    httpAgent: new HttpAgent(sockets),
    httpsAgent: new HttpsAgent(sockets),
  });
}

/**
 * Returns the function that creates the clients of one provider in one region. `acquireToken` keeps each call within
 * AWS's rates.
 *
 * @param callSeconds the timeout of one call
 * @param isCustomEndpoint whether the SDK calls an endpoint in AWS's place, which `AWS_ENDPOINT_URL` names
 */
export function awsOpener(
  callSeconds: number,
  { serverImage = "", isCustomEndpoint = false }: { serverImage?: string; isCustomEndpoint?: boolean } = {},
): (region: string, credentials: AwsCredentials, acquireToken?: AcquireToken) => Aws {
  const requestHandler = createHttpHandler(callSeconds);
  const sessionOf = sessionOpener(requestHandler);
  const own = ownIdentity();
  return (region, given, acquireToken) => {
    const isOwn = given === OWN_IDENTITY;
    const session = !isOwn && "roleArn" in given ? sessionOf(given) : undefined;
    const keys = isOwn ? own : (given as Exclude<AwsCredentials, AssumableRole | typeof OWN_IDENTITY>);
    const credentials = session ?? keys;
    const clients = (maxAttempts: number, priority: Priority): Clients => {
      const options = { region, credentials, requestHandler, maxAttempts, retryMode: "standard" };
      // In the order in which a call passes them, which their steps decide.
      const pluginsFor = (service: string): Plugin[] => [
        callSpan({ service, region }),
        errorFacts({ session, isCustomEndpoint }),
        traceHeader(),
        ...(acquireToken ? [rateLimit(service, acquireToken, priority)] : []),
        leaseCheck(),
        callMetrics(),
      ];
      const prepare = <Client extends Clients[keyof Clients]>(client: Client) => {
        const stack = client.middlewareStack as EC2Client["middlewareStack"];
        for (const plugin of pluginsFor(client.config.serviceId)) stack.use(plugin);
        return client;
      };
      return lazy({
        autoScaling: () => prepare(new AutoScalingClient(options)),
        ec2: () => prepare(new EC2Client(options)),
        iam: () => prepare(new IAMClient(options)),
        rds: () => prepare(new RDSClient(options)),
        serviceQuotas: () => prepare(new ServiceQuotasClient(options)),
        ssm: () => prepare(new SSMClient(options)),
        sts: () => prepare(new STSClient(options)),
      });
    };
    const noRetry = clients(1, "normal");
    return Object.assign(clients(3, "normal"), { region, serverImage, noRetry, background: clients(1, "background") });
  };
}

function lazy<T extends object>(makers: { [Name in keyof T]: () => T[Name] }): T {
  const made: Partial<T> = {};
  const properties = Object.keys(makers).map((key) => {
    const name = key as keyof T;
    return [name, { enumerable: true, get: () => (made[name] ??= makers[name]()) }];
  });
  return Object.defineProperties({}, Object.fromEntries(properties)) as T;
}
