import type { Role } from "@gantry/db";
import type { Caller } from "../../http/auth/caller.js";
import { forbidden } from "../../http/errors/errors.js";

/** @throws 403 if a caller that is not an owner would make an owner */
export function requireOwnerFor(role: Role, caller: Caller, accountId: string): void {
  if (role === "owner" && !caller.isOwner(accountId)) throw forbidden("only an owner can add owners");
}
