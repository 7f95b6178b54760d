import type { Response } from "express";

/** Sets headers without the changes that Express makes to them. */
export function setHeaders(res: Response, headers: Record<string, string>): void {
  for (const name in headers) res.setHeader(name, headers[name] as string);
}
