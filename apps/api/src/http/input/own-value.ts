/** Returns the value that a table has by itself for a name of the input: "constructor" is in every object's prototype. */
export function ownValue<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
