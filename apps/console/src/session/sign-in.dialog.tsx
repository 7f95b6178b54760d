import { useQuery } from "@tanstack/react-query";
import { Modal } from "../controls/dialog.js";
import { mustSignInAgain } from "../state/sign-in-again.js";
import { useStore } from "../state/store.js";
import { sessionQuery } from "./session.js";
import { SignInForm } from "./sign-in.form.js";

/** Opens over the page when the session has ended, or is too old for an act: what a person has typed stays. */
export function SignInDialog() {
  const { data } = useQuery(sessionQuery);
  const isAskedAgain = useStore(mustSignInAgain);
  if (data?.session && isAskedAgain)
    return (
      <Modal title="Sign in again to create a token" onClose={() => mustSignInAgain.set(false)}>
        <p>Tokens outlive a session. Gantry creates them only within 15 minutes of a sign-in.</p>
        <SignInForm onDone={() => {}} />
      </Modal>
    );
  if (!data || data.session) return null;
  return (
    <Modal title="Your session has ended" onClose={() => {}}>
      <SignInForm onDone={() => {}} />
    </Modal>
  );
}
