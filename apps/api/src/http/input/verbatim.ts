import { z } from "zod";

const verbatim = z.registry<{ asSent: true }>();

/** Marks a text whose bytes matter to others than Gantry, such as a key or a URL. The schema's secrets need no mark. */
export function asSent<Schema extends z.ZodType>(schema: Schema): Schema {
  verbatim.add(schema, { asSent: true });
  return schema;
}

/** Returns true if the schema, or one that it wraps or chooses from, is a secret or describes a text whose bytes matter. */
export const isVerbatim = remembered((schema): boolean => {
  if (verbatim.get(schema) || isSecret(schema)) return true;
  return partsOf(schema).some((part) => isVerbatim(part as z.ZodType));
});

/** Returns true for the schema of a secret. */
export const isSecret = remembered((schema) => schema.meta()?.writeOnly === true);

/** Remembers an answer for each schema: schemas never change, and `meta()` copies its object on every call. */
function remembered(answer: (schema: z.ZodType) => boolean): (schema: z.ZodType) => boolean {
  const known = new WeakMap<z.ZodType, boolean>();
  return (schema) => {
    if (!known.has(schema)) known.set(schema, answer(schema));
    return known.get(schema) as boolean;
  };
}

function partsOf(schema: z.ZodType): readonly z.core.$ZodType[] {
  if (schema instanceof z.ZodUnion) return schema.options;
  if (schema instanceof z.ZodPipe) return [schema.in, schema.out];
  const { innerType } = schema.def as { innerType?: z.core.$ZodType };
  return innerType ? [innerType] : [];
}
