import { z } from "zod";

export const AUTOMATION = {
  name: "automation",
  description: "Gantry itself, if neither a user nor another request created the request",
};

export const automationSchema = z.object({ automation: z.object({ name: z.string(), description: z.string() }) });
