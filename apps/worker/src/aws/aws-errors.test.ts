import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DescribeCertificatesCommand } from "@aws-sdk/client-rds";
import { ListServicesCommand } from "@aws-sdk/client-service-quotas";
import { modelledErrors } from "@gantry/test/support/modelled-errors";
import { replaceEnv } from "@gantry/test/support/replace-env";
import type { ErrorOutcome } from "../engine/error-policy.js";
import { classifyAwsError, ERROR_ROWS, notReady, rowOf } from "./aws-errors.js";
import { type Aws, awsOpener } from "./clients.js";

interface RecordedError {
  code: string;
  status?: number;
  message?: string;
  /** The outcome in words: its kind, its times, and the beginning of its sentence. */
  outcome: string;
}

const fixture = readFileSync(new URL("errors/recorded-errors.json", import.meta.url), "utf8");
const recorded: RecordedError[] = JSON.parse(fixture).flatMap(({ errors }: { errors: RecordedError[] }) => errors);

function awsError(
  name: string,
  { status: httpStatusCode = 400, message = "", ...facts }: Partial<RecordedError> & { action?: string } = {},
): Error {
  return Object.assign(new Error(message), { name, $metadata: { httpStatusCode }, ...facts });
}

const classified = (...error: Parameters<typeof awsError>) => classifyAwsError(awsError(...error));

function inWords(outcome: ErrorOutcome | undefined): string {
  if (outcome?.kind !== "wait") return `${outcome?.kind}: ${outcome?.message}`;
  const { retryInSeconds, limitMinutes, reason } = outcome.wait;
  return `wait ${retryInSeconds} s, ${limitMinutes} min: ${reason}`;
}

it.each(recorded.map((error) => [error.code, error.message ?? "", error] as const))(
  "classifies AWS's answer %s %s as recorded",
  (code, _message, error) => {
    expect(inWords(classified(code, error)).slice(0, error.outcome.length)).toBe(error.outcome);
    expect(rowOf(awsError(code, error))).toBeDefined();
  },
);

const modelled = modelledErrors();

it("has a row for every error that AWS's models name for the operations in use", () => {
  const withoutRow = modelled.filter(
    ({ name }) => !rowOf(awsError(name)) || !rowOf(awsError(name.replace(/Fault$/, ""))),
  );
  expect(withoutRow).toEqual([]);
  const operations = new Set(modelled.map(({ operation }) => operation));
  expect([...operations]).toEqual(expect.arrayContaining(["AttachRolePolicy", "CreateDBInstance", "GetParameter"]));
});

const own = [
  ...(["InstanceShuttingDown", "MemberPending", "MembersLeft", "NatGatewayDeleting"] as const).map(notReady),
  ...["WorkerWithoutIdentity", "RoleNotAssumed"].map((name) => awsError(name)),
];

it("has a row for every error of Gantry's own", () => {
  expect(own.map(rowOf)).not.toContain(undefined);
});

it("has a known error for every row", () => {
  const recordedErrors = recorded.map((error) => awsError(error.code, error));
  const met = new Set([...own, ...recordedErrors, ...modelled.map(({ name }) => awsError(name))].map(rowOf));
  expect(ERROR_ROWS.filter((row) => !met.has(row))).toEqual([]);
});

it("retries every error with a 5xx status, regardless of its name", () => {
  expect(classified("SomethingNew", { status: 503 })?.kind).toBe("retry");
});

it("names a call that the endpoint does not implement, and gives up", () => {
  const sentence = "permanent: This endpoint does not implement rds:CreateDBCluster, unlike AWS";
  expect(inWords(classified("InternalFailure", { status: 501, action: "rds:CreateDBCluster" }))).toBe(sentence);
});

/** What a client of the worker throws after an answer of a custom endpoint. */
async function errorAfter(
  [status, body]: [number, string],
  send: (aws: Aws) => Promise<unknown>,
  isCustomEndpoint = true,
): Promise<unknown> {
  const server = createServer((input, output) => {
    input.resume();
    output.writeHead(status, { "content-type": "text/html" }).end(body);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const env = replaceEnv({ AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  try {
    return await send(
      awsOpener(10, { isCustomEndpoint })("us-east-1", { accessKeyId: "x", secretAccessKey: "x" }),
    ).then(
      () => undefined,
      (error) => error,
    );
  } finally {
    env.restore();
    server.closeAllConnections();
    server.close();
  }
}

/** How moto answers a call that it does not implement. */
const ERROR_PAGE = "<!doctype html>\n<html lang=en>\n<title>500 Internal Server Error</title>\n<p>text</p>\n";
const describeCertificates = ({ noRetry }: Aws) => noRetry.rds.send(new DescribeCertificatesCommand({}));
const listServices = ({ noRetry }: Aws) => noRetry.serviceQuotas.send(new ListServicesCommand({}));

it.each([
  ["rds:DescribeCertificates", describeCertificates],
  ["servicequotas:ListServices", listServices],
])("takes the web page by which moto fails for %s as a call that it does not implement", async (action, send) => {
  const error = await errorAfter([500, ERROR_PAGE], send);
  expect(inWords(classifyAwsError(error))).toBe(`permanent: This endpoint does not implement ${action}, unlike AWS`);
});

it.each([
  ["another status", 502, ERROR_PAGE],
  ["an empty answer", 500, ""],
  ["an error of AWS", 500, "<Response><Errors><Error><Code>InternalError</Code></Error></Errors></Response>"],
])("retries after %s of an endpoint in AWS's place", async (_, status, body) => {
  expect(classifyAwsError(await errorAfter([status, body], describeCertificates))?.kind).toBe("retry");
});

it.each([describeCertificates, listServices])("retries after the same web page of AWS itself", async (send) => {
  expect(classifyAwsError(await errorAfter([500, ERROR_PAGE], send, false))?.kind).toBe("retry");
});

it("names the denied action, which can differ from the call", () => {
  const message =
    "User: arn:aws:iam::123456789012:user/x is not authorized to perform: iam:PassRole on resource: arn:aws:x";
  const denied = (facts: object) =>
    inWords(classified("UnauthorizedOperation", { action: "ec2:RunInstances", ...facts }));
  expect(denied({ message })).toBe("permanent: The provider's credentials lack the permission iam:PassRole in AWS");
  expect(denied({})).toBe("permanent: The provider's credentials lack the permission ec2:RunInstances in AWS");
});

it("repeats nothing else of AWS's own text", () => {
  const message =
    "arn:aws:iam::123456789012:role/other is not authorized to perform: x:y<script> arn:aws:iam::1:role/z";
  for (const code of [...recorded.map(({ code }) => code), "SomethingNew"]) {
    const text = inWords(classified(code, { message }));
    expect(text).not.toMatch(/arn:|script|123456789012/);
  }
});

it("classifies no error that is not AWS's", () => {
  expect(classifyAwsError(new TypeError("a bug"))).toBeUndefined();
  expect(classifyAwsError("text")).toBeUndefined();
});
