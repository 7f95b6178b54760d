import { z } from "zod";

const verbatim = z.registry<{ asSent: true }>();

/** Marks a text whose bytes matter to others than Gantry, such as a key or a URL. The schema's secrets need no mark. */
export function asSent<Schema extends z.ZodType>(schema: Schema): Schema {
  verbatim.add(schema, { asSent: true });
  return schema;
}

/** Returns true if the schema, or one that it wraps or chooses from, is a secret or describes a text whose bytes matter. */
export function isVerbatim(schema: z.ZodType): boolean {
  if (verbatim.get(schema) || schema.meta()?.writeOnly === true) return true;
  return partsOf(schema).some((part) => isVerbatim(part as z.ZodType));
}

function partsOf(schema: z.ZodType): readonly z.core.$ZodType[] {
  if (schema instanceof z.ZodUnion) return schema.options;
  if (schema instanceof z.ZodPipe) return [schema.in, schema.out];
  const { innerType } = schema.def as { innerType?: z.core.$ZodType };
  return innerType ? [innerType] : [];
}
