import { useQuery } from "@tanstack/react-query";
import { Modal } from "../controls/dialog.js";
import { sessionQuery } from "./session.js";
import { SignInForm } from "./sign-in.form.js";

/** Opens over the page when the session has ended: what a person has typed stays. */
export function SignInDialog() {
  const { data } = useQuery(sessionQuery);
  if (!data || data.session) return null;
  return (
    <Modal title="Your session has ended" onClose={() => {}}>
      <SignInForm onDone={() => {}} />
    </Modal>
  );
}
