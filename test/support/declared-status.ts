import { readFileSync } from "node:fs";
import type { Response } from "supertest";

/** What the HTTP frame answers to a call that it cannot read, whatever the operation. */
const OF_THE_FRAME = [400, 405, 406, 408, 413, 415, 431];

interface Document {
  paths: Record<string, Record<string, { responses: Record<string, object> }>>;
}

const operations = new Map<string, { pattern: RegExp; statuses: string[] }[]>();
const { paths } = JSON.parse(readFileSync(new URL("../../openapi.json", import.meta.url), "utf8")) as Document;
for (const [path, methods] of Object.entries(paths)) {
  const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`);
  for (const [method, { responses }] of Object.entries(methods)) {
    const same = operations.get(method) ?? [];
    operations.set(method, [...same, { pattern, statuses: Object.keys(responses) }]);
  }
}

/** @throws if an operation answered with a status that openapi.json does not declare for it */
export function requireDeclaredStatus({ status, request }: Response): void {
  const { method, url } = request as unknown as { method: string; url: string };
  if (OF_THE_FRAME.includes(status)) return;
  const { pathname } = new URL(url);
  const matching = (operations.get(method.toLowerCase()) ?? []).filter(({ pattern }) => pattern.test(pathname));
  if (matching.length > 0 && !matching.some(({ statuses }) => statuses.includes(String(status))))
    throw new Error(`openapi.json does not declare that ${method} ${pathname} answers ${status}`);
}
