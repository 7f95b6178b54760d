import type { Log } from "@gantry/runtime";
import {
  DiagLogLevel,
  diag,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  type IdGenerator,
  ParentBasedSampler,
  RandomIdGenerator,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Attributes, Recorder, Span, SpanParent } from "./span.js";

export interface RecorderOptions {
  /** The collector's URL, to which `/v1/traces` is added. */
  endpoint: string;
  service: string;
  sampler: string;
  ratio: number;
  log: Log;
}

const KINDS = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT };

/** The time between two log lines about a collector that cannot be reached. */
const QUIET_MS = 600_000;

const LONGEST_PROBLEM = 500;

/** What one process holds and sends: spans beyond the queue are dropped. */
const BATCHES = {
  maxQueueSize: 8192,
  maxExportBatchSize: 512,
  scheduledDelayMillis: 1000,
  exportTimeoutMillis: 10_000,
};

/** Creates the recorder that sends spans by OTLP over HTTP. `stop` sends the last ones and never rejects. */
export function createRecorder(options: RecorderOptions): { recorder: Recorder; stop: () => Promise<void> } {
  const { endpoint, service, log } = options;
  const report = reporterTo(log);
  const ids = new GivenIds();
  const sampler = samplerOf(options);
  const provider = new TracerProvider({
    sampler,
    idGenerator: ids,
    // The environment's name of the service and its attributes take precedence.
    resource: defaultResource()
      .merge(resourceFromAttributes({ "service.name": service }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [
      new BatchSpanProcessor({
        ...BATCHES,
        exporter: new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, "")}/v1/traces` }),
      }),
    ],
  });
  const tracer = provider.getTracer("gantry");
  const recorder: Recorder = {
    start: (name, { kind = "internal", attributes = {}, id, startTime }, parent) => {
      const settings = { kind: KINDS[kind], attributes: definedOf(attributes), ...(startTime && { startTime }) };
      const start = () => tracer.startSpan(name, settings, contextOf(parent));
      return new RecordedSpan(ids.during({ traceId: parent.traceId, spanId: id }, start));
    },
    flagsOf: (traceId) => {
      const { decision } = sampler.shouldSample(ROOT_CONTEXT, traceId, "request", SpanKind.INTERNAL, {}, []);
      return decision === SamplingDecision.RECORD_AND_SAMPLED ? "01" : "00";
    },
  };
  return { recorder, stop: () => provider.shutdown().catch((error) => report(String(error))) };
}

/** Generates the ids that Gantry has already chosen. OpenTelemetry asks for them while it begins a span. */
class GivenIds implements IdGenerator {
  private readonly random = new RandomIdGenerator();
  private given: { traceId?: string | undefined; spanId?: string | undefined } = {};

  during<T>(given: { traceId: string; spanId: string | undefined }, start: () => T): T {
    this.given = given;
    try {
      return start();
    } finally {
      this.given = {};
    }
  }

  generateTraceId = () => this.given.traceId ?? this.random.generateTraceId();
  generateSpanId = () => this.given.spanId ?? this.random.generateSpanId();
}

function contextOf({ traceId, span }: SpanParent) {
  if (!span) return ROOT_CONTEXT;
  const [spanId = "", flags = ""] = span.split("-");
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

class RecordedSpan implements Span {
  readonly traceId: string;
  readonly position: string;

  constructor(private readonly span: OtelSpan) {
    const { traceId, spanId, traceFlags } = span.spanContext();
    this.traceId = traceId;
    this.position = `${spanId}-0${traceFlags & TraceFlags.SAMPLED}`;
  }

  set(attributes: Attributes): void {
    this.span.setAttributes(definedOf(attributes));
  }

  rename(name: string): void {
    this.span.updateName(name);
  }

  fail(type: string): void {
    this.span.setAttribute("error.type", type);
    this.span.setStatus({ code: SpanStatusCode.ERROR });
  }

  end(): void {
    this.span.end();
  }
}

function definedOf(attributes: Attributes) {
  const entries = Object.entries(attributes).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries as [string, string | number | boolean][]);
}

/** The sampler that the standard names mean. */
function samplerOf({ sampler, ratio }: RecorderOptions): Sampler {
  const root = sampler.endsWith("always_off")
    ? new AlwaysOffSampler()
    : sampler.endsWith("traceidratio")
      ? new TraceIdRatioBasedSampler(ratio)
      : new AlwaysOnSampler();
  return sampler.startsWith("parentbased") ? new ParentBasedSampler({ root }) : root;
}

/** Makes OpenTelemetry's problems log lines, one in a while, and returns the function that writes one. */
function reporterTo(log: Log): (problem: string) => void {
  let quietUntil = 0;
  const report = (problem: string) => {
    if (Date.now() < quietUntil) return;
    quietUntil = Date.now() + QUIET_MS;
    log.warn({ problem: problem.slice(0, LONGEST_PROBLEM) }, "sending traces failed; spans are lost");
  };
  const ignore = () => {};
  const logger = { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  return report;
}
