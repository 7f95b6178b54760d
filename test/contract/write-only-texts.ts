import type { Fixtures } from "../support/fixtures.js";
import { bodyOf, fillPath, paths, type Schema } from "./document.js";
import { OTHERS, sampleBody, withValue } from "./inputs.js";

/** The calls of an operation that has write-only texts: one body for each text and each form that its schema takes. */
export interface SecretCalls {
  operation: string;
  method: string;
  path: string;
  bodies: { place: string; secret: string; body: object }[];
}

// The id of the access key whose secret is the one that is sent.
const credentials = { access_key_id: "AKIAIOSFODNN7CANARY" };

/** Every operation with a write-only text, with bodies that hold a different secret in each of them. */
export function writeOnlyTexts(fixtures: Fixtures): SecretCalls[] {
  const calls = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => {
      const schema = bodyOf(operation) ?? {};
      const name = operation.operationId ?? `${method} ${path}`;
      const bodies = placesIn(schema).map((place, index) => {
        const secret = `canary-${name}-${index}-c5a1`;
        const provider = schema.properties?.provider?.properties?.type ? { type: "aws", credentials } : { credentials };
        const named = { ...OTHERS, provider, email: `${name}-${index}@example.com` };
        const sample = sampleBody(schema, { fixtures, others: named }) as object;
        return { place, secret, body: withValue(sample, place, secret) };
      });
      return { operation: name, method: method.toUpperCase(), path: fillPath(path, fixtures), bodies };
    }),
  );
  return calls.filter(({ bodies }) => bodies.length > 0);
}

/** The paths with dots of the write-only texts of a schema, once for each form. */
function placesIn(schema: Schema, path = ""): string[] {
  const { properties = {}, items, anyOf = [], oneOf = [], additionalProperties, prefixItems = [] } = schema;
  const within = (name: string) => (path ? `${path}.${name}` : name);
  return [
    ...(schema.writeOnly && path ? [path] : []),
    ...Object.entries(properties).flatMap(([name, property]) => placesIn(property, within(name))),
    ...[...(items ? [items] : []), ...prefixItems].flatMap((item) => placesIn(item, within("0"))),
    ...(typeof additionalProperties === "object" ? placesIn(additionalProperties, within("any")) : []),
    ...[...anyOf, ...oneOf].flatMap((variant) => placesIn(variant, path)),
  ];
}
