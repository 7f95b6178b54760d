import type { Endpoint } from "../endpoint.js";

/** Returns the endpoints that show one record, by the pattern of their paths. */
export function showingEndpoints(endpoints: Endpoint[]): ReadonlyMap<string, Endpoint> {
  return new Map(endpoints.filter(showsRecord).map((each) => [patternOf(each), each]));
}

/** Returns the endpoint that shows the record which a change concerns: the one of the same path. */
export function shownBy(change: Endpoint, showing: ReadonlyMap<string, Endpoint>): Endpoint | undefined {
  return ["PUT", "PATCH", "DELETE"].includes(change.method) ? showing.get(patternOf(change)) : undefined;
}

/** Returns true for an endpoint whose answer has an entity tag. */
export function showsRecord({ method, reply }: Endpoint): boolean {
  return method === "GET" && reply.version !== undefined;
}

function patternOf({ path }: Endpoint): string {
  return path.replace(/:\w+/g, ":");
}
