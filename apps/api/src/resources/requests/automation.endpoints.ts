import { AUTOMATION, automationSchema } from "@gantry/resources";
import { endpoint } from "../../http/endpoint.js";
import { json } from "../../http/reply/reply.js";

export const automationEndpoints = [
  endpoint({
    route: "GET /automation",
    summary: "Show the requester of requests that neither a user nor another request created",
    reply: json(automationSchema),
    handle: () => ({ automation: AUTOMATION }),
  }),
];
