import type { Scope } from "@gantry/db";

/** The name of a scope on the wire. */
export type ScopeName = "read" | "write" | "secrets:read" | "admin";

/** The name of a scope on the wire. */
export function scopeName(scope: Scope): ScopeName {
  return scope === "secrets_read" ? "secrets:read" : scope;
}

/** The name of a scope in the schema. */
export function storedScope(name: ScopeName): Scope {
  return name === "secrets:read" ? "secrets_read" : name;
}
