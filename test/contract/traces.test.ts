import { startTracing } from "@gantry/telemetry";
import supertest from "supertest";
import { aws, createTestAccount } from "../support/account.js";
import { createCaller } from "../support/api.js";
import { type LiveGantry, startLiveGantry } from "../support/live.js";
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from "../support/otlp-receiver.js";
import { testLog } from "../support/stack.js";
import { until } from "../support/until.js";

const [INTERNAL, SERVER, CLIENT] = [1, 2, 3];
/** The span of the client that calls the API. */
const CALLER = "b7ad6b7169203331";
const CIDR = "10.91.0.0/16";

let collector: OtlpReceiver;
let gantry: LiveGantry;
let stopTracing: () => Promise<void>;

beforeAll(async () => {
  collector = await startOtlpReceiver();
  const sampling = { OTEL_TRACES_SAMPLER: "parentbased_always_on", OTEL_TRACES_SAMPLER_ARG: 1 } as const;
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...sampling, SHUTDOWN_SECONDS: 15 };
  stopTracing = await startTracing(env, "gantry-test", testLog);
  gantry = await startLiveGantry();
});
afterAll(async () => {
  await gantry?.close();
  await stopTracing?.();
  await collector?.close();
});

it("records one provision as one trace, from the HTTP input to each AWS call and statement", async () => {
  const { db, env } = gantry.api;
  const { accountId, provider, awsAccount } = await createTestAccount(db, env);
  const caller = await createCaller({ app: gantry.api.app, db }, { accountId });
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  await supertest(gantry.url).get("/health/live").set("traceparent", `00-${traceId}-${CALLER}-01`);
  const body = { provider: provider.id, network: { cidr: CIDR, location: "us-east-1" } };

  const answer = await caller.post("/networks", body).set("traceparent", `00-${traceId}-${CALLER}-01`);

  expect([answer.status, answer.headers["x-trace-id"]]).toEqual([200, traceId]);
  const { id } = answer.body.request;
  const request = await until(async () => db.request.findFirst({ where: { id, finishedAt: { not: null } } }));
  expect(request).toMatchObject({ traceId, successful: true });
  // The run ends after its Request, and is the last span of the trace.
  const spans = await until(async () => {
    const sent = collector.spans.filter((span) => span.traceId === traceId);
    return sent.some(({ name }) => name === "run") && sent;
  });

  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const path = (span: ReceivedSpan): string[] => [
    ...(span.parentId === CALLER ? ["caller"] : path(byId.get(span.parentId) ?? orphan(span))),
    nameIn(span),
  ];
  const paths = new Set(spans.map((span) => path(span).join(" > ")));
  const run = "caller > POST /networks > request provision_network > run";
  const stage = `${run} > stage create`;
  for (const expected of [`${run} > SQL`, stage, `${stage} > EC2.CreateVpc`, `${stage} > SQL`])
    expect(paths).toContain(expected);
  expect(paths).toContain("caller > POST /networks > SQL");
  expect([...paths].filter((path) => path.includes("SQL > SQL"))).toEqual([]);
  expect([...paths].filter((path) => path.startsWith("caller > ") && path.split(" > ").length === 2)).toEqual([
    "caller > POST /networks",
  ]);

  const named = (name: string) => spans.find((span) => span.name === name) as ReceivedSpan;
  expect(named("POST /networks")).toMatchObject({
    kind: SERVER,
    attributes: { "http.request.method": "POST", "http.route": "/networks", "http.response.status_code": 200 },
  });
  expect(named("request provision_network")).toMatchObject({
    kind: INTERNAL,
    startNs: BigInt(request.createdAt.getTime()) * 1_000_000n,
    attributes: {
      "gantry.request.id": id,
      "gantry.account.id": accountId,
      "gantry.resource": `network/${request.resourceId}`,
    },
  });
  expect(named("EC2.CreateVpc")).toMatchObject({
    kind: CLIENT,
    attributes: {
      "rpc.system.name": "aws-api",
      "rpc.method": "EC2/CreateVpc",
      "aws.request_id": expect.any(String),
      "gantry.aws.attempts": 1,
    },
  });
  const [sent] = await aws.calls({ action: "CreateVpc", accessKeyId: awsAccount.accessKeyId });
  expect(sent?.trace).toBe(`00-${traceId}-${named("EC2.CreateVpc").spanId}-01`);
  expect(spans.filter(({ hasFailed }) => hasFailed)).toEqual([]);

  const text = collector.text();
  const holds = (words: string[]) => words.filter((word) => text.includes(word));
  expect(holds(["SET finished_at = now()"])).toHaveLength(1);
  expect(holds([caller.token, awsAccount.secretAccessKey, CIDR])).toEqual([]);
});

const nameIn = ({ name, attributes }: ReceivedSpan) => (attributes["db.system.name"] === "postgresql" ? "SQL" : name);

function orphan({ name, parentId }: ReceivedSpan): never {
  throw new Error(`the span ${name} has no parent: ${parentId} was not sent`);
}

it("marks a call that AWS refuses, and the Request that it fails", async () => {
  const { db, env } = gantry.api;
  const { accountId, provider, awsAccount } = await createTestAccount(db, env);
  const caller = await createCaller({ app: gantry.api.app, db }, { accountId });
  const { accessKeyId } = awsAccount;
  await aws.refuse("CreateVpc", { code: "VpcLimitExceeded", times: 1, accessKeyId });
  const answer = await caller.post("/networks", {
    provider: provider.id,
    network: { cidr: CIDR, location: "us-east-1" },
  });
  const failed = await until(async () => {
    const sent = collector.spans.filter(({ traceId }) => traceId === answer.headers["x-trace-id"]);
    return sent.some(({ name }) => name === "run") && sent.filter(({ hasFailed }) => hasFailed);
  });
  const types = failed.map(({ name, attributes }) => [name, attributes["error.type"]]);
  expect(Object.fromEntries(types)).toMatchObject({
    "EC2.CreateVpc": "VpcLimitExceeded",
    "request provision_network": "request_failed",
  });
});
