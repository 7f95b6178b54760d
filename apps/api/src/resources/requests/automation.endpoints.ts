import { endpoint } from "../../http/endpoint.js";
import { json } from "../../http/reply.js";
import { AUTOMATION, automationSchema } from "./automation.js";

export const automationEndpoints = [
  endpoint({
    route: "GET /automation",
    summary: "Show the requester of what nobody asked for",
    reply: json(automationSchema),
    handle: () => ({ automation: AUTOMATION }),
  }),
];
