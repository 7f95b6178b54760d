import type { Choices } from "../controls/choices.js";
import type { Values } from "../forms/values.js";

export interface Offers {
  flavors: { api_name: string; description: string; engines: string[]; zones: string[] }[];
  engine_versions: Record<string, string[]>;
}

/** What the form of a database offers; versions and flavors depend on the engine, and zones on the flavor. */
export function choicesOf({ flavors, engine_versions }: Offers, values: Values): Record<string, Choices> {
  const engine = String(values["database_server.engine"] ?? "");
  const fitting = flavors.filter(({ engines }) => engine === "" || engines.includes(engine));
  const chosen = fitting.find(({ api_name }) => api_name === values["database_server.flavor"]);
  const zones = [...new Set((chosen ? [chosen] : fitting).flatMap((flavor) => flavor.zones))].sort();
  return {
    "database_server.engine": Object.keys(engine_versions)
      .sort()
      .map((name) => [name, name]),
    "database_server.version": (engine_versions[engine] ?? []).map((version) => [version, version]),
    "database_server.flavor": fitting.map(({ api_name }) => [api_name, api_name]),
    "database_server.location": zones.map((zone) => [zone, zone]),
  };
}

/** The region of a zone: `eu-west-1b` → `eu-west-1`. */
export function regionOf(zone: string): string {
  return zone.replace(/[a-z]$/, "");
}
