import type { Command } from "commander";
import type { Session } from "../session.js";

/** The session of the flags that a command was given. */
export type SessionOf = (command: Command) => Session;

/** Builds a command of this name. */
export type Builder = (name: string, session: SessionOf) => Command;

/** Collects the values of a flag that may be repeated. */
export function collect(value: string, before: unknown): string[] {
  return [...(Array.isArray(before) ? (before as string[]) : []), value];
}
