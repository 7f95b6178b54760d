import { readFileSync } from "node:fs";
import type { Response } from "supertest";

interface Document {
  paths: Record<string, Record<string, { responses: Record<string, { $ref?: string }> }>>;
  components: { responses: Record<string, { "x-statuses"?: Record<string, string> }> };
}

const operations = new Map<string, { pattern: RegExp; statuses: string[] }[]>();
const { paths, components } = JSON.parse(
  readFileSync(new URL("../../openapi.json", import.meta.url), "utf8"),
) as Document;
for (const [path, methods] of Object.entries(paths)) {
  const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`);
  for (const [method, { responses }] of Object.entries(methods)) {
    const same = operations.get(method) ?? [];
    operations.set(method, [...same, { pattern, statuses: Object.entries(responses).flatMap(statusesOf) }]);
  }
}

/** The statuses of an answer: its own, or those that it lists if it represents several. */
function statusesOf([status, { $ref }]: [string, { $ref?: string }]): string[] {
  const several = components.responses[$ref?.split("/").at(-1) ?? ""]?.["x-statuses"];
  return Object.keys(several ?? { [status]: "" });
}

/** @throws if an operation answered with 500, or with a status that openapi.json does not declare for it */
export function requireDeclaredStatus({ status, request }: Response): void {
  const { method, url } = request as unknown as { method: string; url: string };
  const { pathname } = new URL(url);
  if (status === 500) throw new Error(`${method} ${pathname} answers 500, a fault of Gantry`);
  const matching = (operations.get(method.toLowerCase()) ?? []).filter(({ pattern }) => pattern.test(pathname));
  if (matching.length > 0 && !matching.some(({ statuses }) => statuses.includes(String(status))))
    throw new Error(`openapi.json does not declare that ${method} ${pathname} answers ${status}`);
}
