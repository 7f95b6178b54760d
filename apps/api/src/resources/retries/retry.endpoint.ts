import type { RequestType, ResourceType } from "@gantry/resources";
import type { Access } from "../../http/auth/caller.js";
import { type Endpoint, endpoint } from "../../http/endpoint.js";
import { requested } from "../../http/reply/reply.js";
import { createRetry } from "./retry.js";

const ASCENDING: Endpoint["access"][] = ["anyone", "read", "own", "write", "admin"];

/** The endpoint that retries Requests that the other endpoints create, for callers that may use them. */
export function retryEndpoint(others: Endpoint[]): Endpoint {
  return endpoint({
    route: "POST /requests/:request/retry",
    summary: "Retry a failed request, if its endpoint would accept the same call from you now",
    transaction: true,
    reply: requested("any"),
    handle: async ({ params, caller, db, createRequest, env }) => {
      const failed = await caller.find("request", params.request, "share");
      const access = accessTo(others, failed.type as RequestType, failed.resourceType as ResourceType | null);
      if (access) caller.require(access, failed.accountId);
      return createRetry({ db, caller, env, createRequest }, failed);
    },
  });
}

/** The strictest access of the endpoints that create Requests of a type, or that change the tags of a resource. */
function accessTo(endpoints: Endpoint[], type: RequestType, resourceType: ResourceType | null): Access | undefined {
  const createsType = ({ method, reply }: Endpoint) =>
    reply.requestTypes?.includes(type) ||
    (type === "update_tags" && method === "PUT" && reply.recordName === resourceType);
  const [strictest] = endpoints
    .filter(createsType)
    .map(({ access }) => access)
    .sort((one, other) => ASCENDING.indexOf(other) - ASCENDING.indexOf(one));
  return strictest === "anyone" ? undefined : strictest;
}
