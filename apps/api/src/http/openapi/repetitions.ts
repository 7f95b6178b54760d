import { pascalCase } from "es-toolkit/string";
import type { Operation, Parameter, Schema } from "./schemas.js";

/** A part of a document that may move to its components. */
export interface Place {
  /** The name that the part would have there. */
  name: string;
  value: object;
  replace(reference: { $ref: string }): void;
}

/**
 * The components for parts that a document repeats, which become references to them. If different parts have one name,
 * the most frequent one gets it, and the others stay in place.
 *
 * @param section the name of the components, such as `parameters`
 */
export function shared(section: string, places: Place[]): Record<string, object> {
  const components: Record<string, object> = {};
  for (const [name, sameName] of Map.groupBy(places, (place) => place.name)) {
    const [most = []] = [...Map.groupBy(sameName, ({ value }) => JSON.stringify(value)).values()].sort(
      (one, other) => other.length - one.length,
    );
    const [first] = most;
    if (!first || most.length === 1) continue;
    components[name] = first.value;
    for (const place of most) place.replace({ $ref: `#/components/${section}/${name}` });
  }
  return components;
}

/** The positions of an operation's parameters, by names for the components. */
export function parametersOf(operation: Operation): Place[] {
  return (operation.parameters ?? []).flatMap((parameter, index, parameters) => {
    if (parameter.$ref) return [];
    const name = parameter.in === "path" ? `${parameter.name.replace(/_id$/, "")}_id` : parameter.name;
    const replace = (reference: { $ref: string }) => {
      parameters[index] = reference as Parameter;
    };
    return [{ name: pascalCase(name), value: parameter, replace }];
  });
}

/** The positions of a list's parameters that differ from those of other lists, such as the states of its records. */
export function parametersOfListsOf(operation: Operation): Place[] {
  const list = operation.responses["200"]?.$ref?.split("/").at(-1);
  if (!list?.endsWith("List")) return [];
  return parametersOf(operation).map((place) => ({ ...place, name: `${list}${place.name}` }));
}

/** The positions of a body's values whose schemas are much longer than a reference, such as those of tags. */
export function longValuesOf({ properties = {}, anyOf = [] }: Schema): Place[] {
  const own = Object.entries(properties).flatMap(([name, value]) => {
    if (value.properties || value.anyOf) return longValuesOf(value);
    if (JSON.stringify(value).length < LONG) return [];
    const kind = [value.type].flat().includes("null") ? "Optional" : "";
    const replace = (reference: { $ref: string }) => {
      properties[name] = reference;
    };
    return [{ name: `${kind}${pascalCase(name)}Value`, value, replace }];
  });
  return [...own, ...anyOf.flatMap(longValuesOf)];
}

const LONG = 150;

/** The positions of an operation's answers that show one record, records of one kind, or a Request. */
export function answersOf({ responses }: Operation): Place[] {
  return Object.entries(responses).flatMap(([status, response]) => {
    const schema = response.content?.["application/json"]?.schema;
    const shown = schema && shownBy(schema);
    if (!shown) return [];
    response.description = shown.description;
    return [
      {
        name: shown.name,
        value: response,
        replace: (reference) => {
          responses[status] = reference;
        },
      },
    ];
  });
}

const REQUEST_ANSWER =
  "The Request, or its plan with `dry_run=true`. To follow the Request, read its events or call `GET /requests/:request?wait=60`";

function shownBy({ anyOf, properties = {} }: Schema): { name: string; description: string } | undefined {
  if (anyOf?.some(({ $ref }) => $ref?.endsWith("/RequestAnswer")))
    return { name: "Request", description: REQUEST_ANSWER };
  const [[field, { $ref, items }] = ["", {}], ...more] = Object.entries(properties);
  const name = ($ref ?? items?.$ref)?.split("/").at(-1);
  if (more.length > 0 || field === "") return undefined;
  const words = field.replaceAll("_", " ");
  if (!name) return { name: `${pascalCase(field)}Answer`, description: `The ${words}` };
  return $ref ? { name, description: `The ${words}` } : { name: `${name}List`, description: `A list of ${words}` };
}
