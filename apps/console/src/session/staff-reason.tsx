import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { cache } from "../api.js";
import { Button } from "../controls/button.js";
import { Field } from "../controls/field.js";
import forms from "../controls/form.module.css";
import { reasons, stateReason } from "../state/reasons.js";
import { useStore } from "../state/store.js";
import { sessionQuery } from "./session.js";

/** How a member of the staff stands to an account: undefined for its members and for people who are not of the staff. */
export function useStaffReason(account: string): { reason: string | undefined } | undefined {
  const { data } = useQuery(sessionQuery);
  const reason = useStore(reasons).get(account);
  const session = data?.session;
  // A page of no account has none that could be asked why.
  if (!account || !session?.user.staff || session.accounts.some(({ id }) => id === account)) return undefined;
  return { reason };
}

/** Asks a member of the staff why, before the first act in an account of others. */
export function ReasonForm({ account, onDone }: { account: string; onDone?: () => void }) {
  const [text, setText] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    stateReason(account, text.trim());
    void cache.invalidateQueries({ predicate: ({ state }) => state.status === "error" });
    onDone?.();
  };
  return (
    <form className={forms.form} onSubmit={submit}>
      <p>You are not a member of this account. Its owners see your reason in the audit.</p>
      <Field
        label="Reason"
        value={text}
        required
        autoComplete="off"
        placeholder="Ticket 4711: the network cannot be removed"
        onChange={(event) => setText(event.target.value)}
      />
      <div className={forms.acts}>
        <Button kind="primary" type="submit" disabled={text.trim() === ""}>
          State the reason
        </Button>
      </div>
    </form>
  );
}
