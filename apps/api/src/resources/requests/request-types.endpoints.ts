import { field, type RequestType, requestTypeDefinition, requestTypes } from "@gantry/resources";
import { z } from "zod";
import { endpoint } from "../../http/endpoint.js";
import { json } from "../../http/reply/reply.js";

const requestType = z
  .object({
    name: field(z.string(), "provision_network", "The `type` of its Requests"),
    title: field(z.string(), "Provision network"),
    stages: field(z.array(z.string()), ["create"], "All stages, in order"),
    can_cancel: z.boolean().describe("Whether an unfinished Request of this type can be cancelled"),
    can_retry: z.boolean().describe("Whether a failed Request of this type can be retried"),
    instead_of_retry: field(z.string().nullable(), null, "What to do if it cannot be retried"),
  })
  .meta({ id: "RequestType" });

const names = Object.keys(requestTypes).sort() as RequestType[];

const shown = names.map((name): z.infer<typeof requestType> => {
  const { title, stages, onFailure, insteadOfRetry = null } = requestTypeDefinition(name);
  const canCancel = onFailure === "compensate";
  const canRetry = insteadOfRetry === null;
  return {
    name,
    title,
    stages: [...stages],
    can_cancel: canCancel,
    can_retry: canRetry,
    instead_of_retry: insteadOfRetry,
  };
});

export const requestTypeEndpoints = [
  endpoint({
    route: "GET /request-types",
    summary: "List the types of requests that this version carries out, with their stages",
    reply: json(z.object({ request_types: z.array(requestType) })),
    handle: () => ({ request_types: shown }),
  }),
];
