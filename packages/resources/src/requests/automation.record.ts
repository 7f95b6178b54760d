import { z } from "zod";
import { field } from "../declarations/fields.js";

export const AUTOMATION = {
  name: "automation",
  description: "Gantry itself, if neither a user nor another request created the request",
};

export const automationSchema = z.object({
  automation: z.object({ name: field(z.string(), "shop"), description: field(z.string(), "An example") }),
});
