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
