import { startTracing } from "@gantry/telemetry";
import { createPlainAccount } from "@gantry/test/support/account";
import { Crash, expireLease, fakeWorkflow, runAllToEnd, testEngine } from "@gantry/test/support/engine";
import { FakeCloud } from "@gantry/test/support/fake-cloud";
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from "@gantry/test/support/otlp-receiver";
import { requestOf, workflowsOf } from "@gantry/test/support/request-runs";
import { cloneDatabase, type TestDatabase, testLog } from "@gantry/test/support/stack";
import { createRequestOf } from "@gantry/test/support/work";
import { runRequest } from "./run.js";

let database: TestDatabase;
let collector: OtlpReceiver;
beforeAll(async () => {
  database = await cloneDatabase();
  collector = await startOtlpReceiver();
});
afterAll(async () => {
  await database?.drop();
  await collector?.close();
});

it("puts the runs of several workers, and children, below the spans of their Requests", async () => {
  const sampling = { OTEL_TRACES_SAMPLER: "always_on", OTEL_TRACES_SAMPLER_ARG: 1, SHUTDOWN_SECONDS: 15 } as const;
  const stop = await startTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...sampling }, "test", testLog);
  const { accountId, provider } = await createPlainAccount(database.db);
  const resource = { type: "provider", id: provider.id } as const;
  let crashes = 1;
  const workflows = workflowsOf(
    fakeWorkflow({
      type: "provision_provider",
      stages: {
        "verify-credentials": async () => {
          if (crashes-- > 0) throw new Crash();
        },
        "discover-locations": ({ children }) =>
          children.finish([{ type: "discover_provider_locations", resource, input: {} }]),
      },
      discard: async () => {},
    }),
    fakeWorkflow({ type: "discover_provider_locations", stages: { discover_locations: async () => {} } }),
  );
  const engine = testEngine(database, new FakeCloud(), { workflows });
  const id = await createRequestOf(database.db, { accountId }, "provision_provider", resource, {});
  await runRequest(engine, id);
  await expireLease(database.db, id);
  await runAllToEnd(engine, accountId);
  await stop();

  const { traceId, successful } = await requestOf(database.db, id);
  expect(successful).toBe(true);
  const spans = collector.spans.filter((span) => span.traceId === traceId);
  const named = (name: string) => spans.find((span) => span.name === name) as ReceivedSpan;
  const below = (name: string) =>
    spans.filter(({ parentId }) => parentId === named(name).spanId).map((span) => span.name);
  expect(named("request provision_provider").parentId).toBe("");
  const runs = below("request provision_provider").filter((name) => name === "run");
  expect(runs.length).toBeGreaterThanOrEqual(3);
  expect(below("request provision_provider")).toContain("request discover_provider_locations");
  expect(below("request discover_provider_locations")).toEqual(["run"]);
  const failed = spans.filter(({ hasFailed }) => hasFailed).map(({ name }) => name);
  expect(failed).toEqual(["stage verify-credentials"]);
});
