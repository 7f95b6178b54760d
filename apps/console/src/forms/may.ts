import { useQuery } from "@tanstack/react-query";
import { sessionQuery } from "../session/session.js";
import { useLostContact } from "../state/contact.js";
import type { Operation } from "./operation.js";

const ROLES = ["viewer", "member", "admin", "owner"];
/** Stands for the account on a page of none. */
export const NO_ACCOUNT = "";
const SCOPES = { viewer: "read", member: "write", admin: "admin" } as const;

/** Why the person may not call an operation in an account; undefined if nothing is against it. The API alone decides. */
export function useRefusal(
  account: string,
  { role, isStaff }: Pick<Operation, "role" | "isStaff">,
): string | undefined {
  const { data } = useQuery(sessionQuery);
  const lost = useLostContact();
  const session = data?.session;
  if (lost) return "There is no contact to Gantry";
  if (!session || !role) return undefined;
  if (isStaff && !session.user.staff) return "Needs a member of the staff";
  if (!session.scopes.includes(SCOPES[role])) return `Needs the scope ${SCOPES[role]}`;
  const own = session.accounts.find(({ id }) => id === account)?.role;
  if (session.user.staff || account === NO_ACCOUNT) return undefined;
  // Without a role in the account the index is -1.
  return ROLES.indexOf(own ?? "") < ROLES.indexOf(role) ? `Needs the role ${role}` : undefined;
}
