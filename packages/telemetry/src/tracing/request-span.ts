import { currentSpan, flagsOf, isTracing, type SpanParent, startSpan } from "./span.js";

/** A Request as far as its span shows it. */
export interface TracedRequest {
  id: string;
  type: string;
  accountId: string;
  resourceType: string | null;
  resourceId: string | null;
  traceId: string;
  parentSpan: string | null;
  createdAt: Date;
}

/**
 * The span under which a new Request belongs, for its row: the span of its parent Request, which that one's end will
 * record, or the current span. Null if this process records no trace.
 */
export function parentSpanOf(parentId: string | undefined): string | null {
  const position = currentSpan()?.position;
  if (!position) return null;
  return parentId ? `${spanIdOf(parentId)}${position.slice(16)}` : position;
}

/** The parent of the spans of a Request's runs: the Request's own span. Its id follows from the Request's id. */
export function insideRequest({ id, traceId, parentSpan }: TracedRequest): SpanParent {
  const flags = parentSpan?.slice(17) ?? flagsOf(traceId);
  return { traceId, span: `${spanIdOf(id)}-${flags}` };
}

/** Records the span of a Request that has just ended, from its acceptance on. */
export function recordRequest(request: TracedRequest, { successful }: { successful: boolean }): void {
  if (!isTracing()) return;
  const { id, type, accountId, resourceType, resourceId, traceId, parentSpan, createdAt } = request;
  const span = startSpan(`request ${type}`, {
    id: spanIdOf(id),
    startTime: createdAt,
    parent: { traceId, span: parentSpan },
    attributes: {
      "gantry.request.id": id,
      "gantry.request.type": type,
      "gantry.account.id": accountId,
      "gantry.resource": resourceType === null ? undefined : `${resourceType}/${resourceId}`,
    },
  });
  if (!successful) span?.fail("request_failed");
  span?.end();
}

/** The last half of a UUID, which is random and never zero. */
function spanIdOf(requestId: string): string {
  return requestId.replaceAll("-", "").slice(16);
}
