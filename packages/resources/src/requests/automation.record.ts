import { z } from "zod";

export const AUTOMATION = {
  name: "automation",
  description: "Gantry itself, where neither a user nor another request asked",
};

export const automationSchema = z.object({ automation: z.object({ name: z.string(), description: z.string() }) });
