import { z } from "zod";

/** Returns the schema of a field or a parameter with an example, and with a description if there is one. */
export function field<Schema extends z.ZodType>(
  schema: Schema,
  example: z.input<Schema>,
  description?: string,
): Schema {
  return schema.meta({ examples: [example], ...(description && { description }) });
}

/** The id of records in examples, unless it is an integer. */
export const EXAMPLE_UUID = "0190c4a2-1111-7111-8111-111111111111";

/** The field of a UUID. */
export const uuid = field(z.uuid(), EXAMPLE_UUID);
