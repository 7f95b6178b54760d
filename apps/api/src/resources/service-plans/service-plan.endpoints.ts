import { findServicePlan, SERVICE_PLANS, servicePlan } from "@gantry/resources";
import { endpoint } from "../../http/endpoint.js";
import { notFound } from "../../http/errors/errors.js";
import { many } from "../../http/reply/list.js";
import { one } from "../../http/reply/reply.js";

export const servicePlanEndpoints = [
  endpoint({
    route: "GET /service-plans",
    summary: "List the service plans of databases",
    reply: many(servicePlan),
    handle: () => [...SERVICE_PLANS],
  }),

  endpoint({
    route: "GET /service-plans/:service_plan",
    summary: "Show a service plan by its id or its alternate name",
    reply: one(servicePlan),
    handle: ({ params }) => {
      const plan = findServicePlan(params.service_plan);
      if (!plan) throw notFound();
      return plan;
    },
  }),
];
