import type { Request as Input } from "express";

/**
 * Returns the pattern of the route that handles an input, such as `/networks/:network`; undefined without one. No router
 * is mounted at a path with a parameter, so that the pattern holds no id.
 */
export function routeOf({ baseUrl, route }: Pick<Input, "baseUrl" | "route">): string | undefined {
  if (!route) return undefined;
  // The pages of the queues have one route with several paths.
  const [path] = [route.path as string | string[]].flat();
  return `${baseUrl}${path}`;
}
