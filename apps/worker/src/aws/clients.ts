import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { types } from "node:util";
import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { EC2Client } from "@aws-sdk/client-ec2";
import { IAMClient } from "@aws-sdk/client-iam";
import { RDSClient } from "@aws-sdk/client-rds";
import { SSMClient } from "@aws-sdk/client-ssm";
import { STSClient } from "@aws-sdk/client-sts";
import { fromTemporaryCredentials } from "@aws-sdk/credential-providers";
import { currentTrace, traceparent } from "@gantry/runtime";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { assertLeaseHeld } from "../engine/with-lease.js";
import { READ_ACTION } from "./rate-limit/published-rates.js";
import { type AcquireToken, type Priority, withRateLimit } from "./rate-limit/rate-limited-client.js";

/** The credentials of an AWS account: a role that trusts Gantry, or an access key pair. */
export type AwsCredentials = { roleArn: string; externalId: string } | { accessKeyId: string; secretAccessKey: string };

interface Clients {
  autoScaling: AutoScalingClient;
  ec2: EC2Client;
  iam: IAMClient;
  rds: RDSClient;
  ssm: SSMClient;
  sts: STSClient;
}

/**
 * The clients of one provider in one region, each created at its first use. The clients send a call up to three times.
 *
 * `noRetry` clients send a call once: AWS may have carried out a create whose response was lost, so the object is looked
 * up before the create is repeated. `background` clients send a call once too, and only while the rate limits leave much.
 */
export interface Aws extends Clients {
  region: string;
  /** The public parameter of Systems Manager that names the image of new servers. */
  serverImage: string;
  noRetry: Clients;
  background: Clients;
}

const sockets = { keepAlive: true, maxSockets: 256 };

// All clients share one connection pool: the credentials tell accounts apart, not the socket.
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
 * Gives the function that creates the clients of one provider in one region. `acquireToken` keeps each call within AWS's
 * rates.
 *
 * @param callSeconds the timeout of one call
 */
export function awsOpener(
  callSeconds: number,
  serverImage = "",
): (region: string, credentials: AwsCredentials, acquireToken?: AcquireToken) => Aws {
  const requestHandler = createHttpHandler(callSeconds);
  return (region, given, acquireToken) => {
    const credentials = "roleArn" in given ? assumeRole(given, region) : given;
    const clients = (maxAttempts: number, priority: Priority): Clients => {
      const options = { region, credentials, requestHandler, maxAttempts, retryMode: "standard" };
      const prepare = <Client extends Clients[keyof Clients]>(client: Client) =>
        withLeaseCheck(
          withTraceHeader(withNamedErrors(acquireToken ? withRateLimit(client, acquireToken, priority) : client)),
        );
      return lazy({
        autoScaling: () => prepare(new AutoScalingClient(options)),
        ec2: () => prepare(new EC2Client(options)),
        iam: () => prepare(new IAMClient(options)),
        rds: () => prepare(new RDSClient(options)),
        ssm: () => prepare(new SSMClient(options)),
        sts: () => prepare(new STSClient(options)),
      });
    };
    const noRetry = clients(1, "normal");
    return Object.assign(clients(3, "normal"), { region, serverImage, noRetry, background: clients(1, "background") });
  };
}

function assumeRole({ roleArn, externalId }: { roleArn: string; externalId: string }, region: string) {
  const params = { RoleArn: roleArn, ExternalId: externalId, RoleSessionName: "gantry" };
  return fromTemporaryCredentials({ params, clientConfig: { region } });
}

function lazy<T extends object>(makers: { [Name in keyof T]: () => T[Name] }): T {
  const made: Partial<T> = {};
  const properties = Object.keys(makers).map((key) => {
    const name = key as keyof T;
    return [name, { enumerable: true, get: () => (made[name] ??= makers[name]()) }];
  });
  return Object.defineProperties({}, Object.fromEntries(properties)) as T;
}

/** Adds the current trace to every call, so that a call can be traced back to its HTTP input. */
function withTraceHeader<Client extends Clients[keyof Clients]>(client: Client): Client {
  const stack = client.middlewareStack as EC2Client["middlewareStack"];
  stack.add(
    (next) => (args) => {
      const trace = currentTrace();
      const request = args.request as { headers?: Record<string, string> };
      if (trace && request.headers) request.headers.traceparent = traceparent(trace);
      return next(args);
    },
    { step: "build", name: "traceparent" },
  );
  return client;
}

/** Adds the action to every error, in the form of IAM's policies: `ec2:RunInstances`. */
function withNamedErrors<Client extends Clients[keyof Clients]>(client: Client): Client {
  const stack = client.middlewareStack as EC2Client["middlewareStack"];
  stack.add(
    (next, { clientName = "", commandName = "" }) =>
      async (args) => {
        try {
          return await next(args);
        } catch (error) {
          const service = clientName.replace(/Client$/, "").toLowerCase();
          const action = `${service}:${commandName.replace(/Command$/, "")}`;
          throw types.isNativeError(error) ? Object.assign(error, { action }) : error;
        }
      },
    { step: "initialize", name: "action" },
  );
  return client;
}

// The lease of a paused worker may have been lost between two attempts of the SDK, or two calls of one stage.
function withLeaseCheck<Client extends Clients[keyof Clients]>(client: Client): Client {
  const stack = client.middlewareStack as EC2Client["middlewareStack"];
  stack.add(
    (next, { commandName = "" }) =>
      async (args) => {
        if (!READ_ACTION.test(commandName)) await assertLeaseHeld();
        return next(args);
      },
    { step: "finalizeRequest", priority: "low", name: "lease" },
  );
  return client;
}
