import { z } from "zod";
import { field } from "../declarations/fields.js";
import { wireRecord } from "../declarations/record.js";
import type { ServicePlan } from "./service-plan.catalogue.js";

export const servicePlan = wireRecord({
  name: "service_plan",
  plural: "service_plans",
  record: z
    .object({
      id: field(z.string(), "1", "The value for `service_level`"),
      name: field(z.string(), "shop"),
      alternate_name: field(z.string().nullable(), "us-east-1"),
      free: z.boolean(),
      paid_support: z.boolean(),
      contact_required: z.boolean(),
      multi_az_required: z.boolean(),
    })
    .meta({ id: "ServicePlan" }),
  computed: (plan: ServicePlan) => ({
    id: plan.id,
    name: plan.id,
    alternate_name: plan.alternateName ?? null,
    free: plan.free ?? false,
    paid_support: plan.paidSupport ?? false,
    contact_required: plan.contactRequired ?? false,
    multi_az_required: plan.multiAzRequired ?? false,
  }),
});
