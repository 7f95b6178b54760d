import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { env } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { EC2Client } from "@aws-sdk/client-ec2";
import { IAMClient } from "@aws-sdk/client-iam";
import { RDSClient } from "@aws-sdk/client-rds";
import { AwsControl } from "./aws-control.js";
import type { AwsAccount } from "./aws-proxy/accounts.js";
import { startAwsProxy } from "./components/aws-proxy.js";
import { emulatorHome, startEmulator } from "./components/emulator.js";

const dataFolder = join(dirname(fileURLToPath(import.meta.url)), "../../../.gantry");
export const cache = join(dataFolder, "python");
export const environment = withoutUrls(env);

/** Creates a folder for one test file; `clear` removes it. */
export function temporaryFolder(): { folder: string; clear: () => void } {
  mkdirSync(dataFolder, { recursive: true });
  const folder = mkdtempSync(join(dataFolder, "test-"));
  chmodSync(folder, 0o755);
  return { folder, clear: () => rmSync(folder, { recursive: true, force: true }) };
}

function withoutUrls({ DATABASE_URL: _, REDIS_URL: __, AWS_ENDPOINT_URL: ___, ...others }: NodeJS.ProcessEnv) {
  return others;
}

/** Returns the emulator of the whole test run, or starts one; each test creates its own AWS account. */
export async function startAws() {
  const shared = env.TEST_AWS_ENDPOINT;
  if (shared) return { endpoint: shared, control: new AwsControl(shared), stop: async () => undefined };
  const { folder, clear } = temporaryFolder();
  const emulator = await startEmulator({ folder, environment, cache });
  const proxy = await startAwsProxy({ folder, environment, upstream: emulator.url, emulatorHome: emulatorHome(cache) });
  const stop = async () => {
    await Promise.all([emulator.stop(), proxy.stop()]);
    clear();
  };
  return { endpoint: proxy.url, control: new AwsControl(proxy.url), stop };
}

/** Creates clients that act in an AWS account, without retries by default. */
export function awsClients(endpoint: string, { accessKeyId, secretAccessKey }: AwsAccount, maxAttempts = 1) {
  const settings = {
    endpoint,
    region: "us-east-1",
    credentials: { accessKeyId, secretAccessKey },
    maxAttempts,
  };
  return {
    ec2: new EC2Client(settings),
    iam: new IAMClient(settings),
    rds: new RDSClient(settings),
    autoScaling: new AutoScalingClient(settings),
  };
}

/** Gives each test of a file an AWS account of its own, with clients that act in it. */
export function accountOfEachTest() {
  const account = {} as { aws: Aws; accountId: string } & ReturnType<typeof awsClients>;
  beforeAll(async () => {
    account.aws = await startAws();
  });
  afterAll(() => account.aws.stop());
  beforeEach(async () => {
    const created = await account.aws.control.createAccount();
    Object.assign(account, { accountId: created.accountId }, awsClients(account.aws.endpoint, created));
  });
  return account;
}

type Aws = Awaited<ReturnType<typeof startAws>>;

/** The API versions of the services with a Query protocol. */
export const SERVICE_VERSIONS: Record<string, string> = {
  autoscaling: "2011-01-01",
  ec2: "2016-11-15",
  iam: "2010-05-08",
  rds: "2014-10-31",
  sts: "2011-06-15",
};

/** Sends a call as its text, since the SDK sends no parameter that it does not know. Returns the status and the error code. */
export async function sendRaw(
  endpoint: string,
  { accessKeyId }: Pick<AwsAccount, "accessKeyId">,
  { service, action, params }: { service: string; action: string; params: object },
) {
  const Version = SERVICE_VERSIONS[service];
  const scope = `${accessKeyId}/20260101/us-east-1/${service}/aws4_request`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=none`;
  const headers: Record<string, string> = Version
    ? { authorization, "content-type": "application/x-www-form-urlencoded" }
    : { authorization, "content-type": "application/x-amz-json-1.1", "x-amz-target": action };
  const query = { Action: action, Version, ...params } as Record<string, string>;
  const body = Version ? new URLSearchParams(query).toString() : JSON.stringify(params);
  const response = await fetch(endpoint, { method: "POST", headers, body });
  const text = await response.text();
  const code = /<Code>(.*)<\/Code>/.exec(text)?.[1] ?? /"__type":\s*"([^"]+)"/.exec(text)?.[1];
  return { status: response.status, code, text };
}

/** Polls until `poll` returns a truthy value. */
export async function until<T>(poll: () => T | Promise<T>, withinMs = 300_000): Promise<NonNullable<T>> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const result = await poll();
    if (result) return result;
    if (Date.now() > deadline) throw new Error(`The condition was not met within ${withinMs} ms.`);
    await sleep(20);
  }
}
