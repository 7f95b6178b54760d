export {} from "prom-client";
export { insideRequest, parentSpanOf, recordRequest, type TracedRequest } from "./tracing/request-span.js";
export { currentSpan, insideSpan, isTracing, type Span, span, startSpan } from "./tracing/span.js";
export { startTracing } from "./tracing/start-tracing.js";
