import { field, type RequestType, requestTypeDefinition, requestTypes } from "@gantry/resources";
import { z } from "zod";
import { endpoint } from "../../http/endpoint.js";
import { json } from "../../http/reply/reply.js";

const requestType = z
  .object({
    name: field(z.string(), "provision_network"),
    title: field(z.string(), "Provision network"),
    stages: field(z.array(z.string()), ["create"]),
    can_cancel: z.boolean(),
    instead_of_retry: field(z.string().nullable(), null, "Null if its Requests can be retried"),
  })
  .meta({ id: "RequestTypeDefinition" });

const shown = (Object.keys(requestTypes) as RequestType[]).sort().map((name): z.infer<typeof requestType> => {
  const { title, stages, onFailure, insteadOfRetry = null } = requestTypeDefinition(name);
  const canCancel = onFailure === "compensate";
  return { name, title, stages: [...stages], can_cancel: canCancel, instead_of_retry: insteadOfRetry };
});

export const requestTypeEndpoints = [
  endpoint({
    route: "GET /request-types",
    summary: "List the types of requests that this version carries out, with their stages",
    reply: json(z.object({ request_types: z.array(requestType) })),
    handle: () => ({ request_types: shown }),
  }),
];
