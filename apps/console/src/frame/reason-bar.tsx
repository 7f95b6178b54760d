import { UserCog } from "lucide-react";
import { useState } from "react";
import { Button } from "../controls/button.js";
import { Modal } from "../controls/dialog.js";
import { ReasonForm, useStaffReason } from "../session/staff-reason.js";
import styles from "./frame.module.css";

/** Shows a member of the staff that the account is one of others, and the reason that its owners will read. */
export function ReasonBar({ account }: { account: string }) {
  const staff = useStaffReason(account);
  const [isOpen, setOpen] = useState(false);
  if (!staff) return null;
  const { reason } = staff;
  return (
    <section className={styles.reason} aria-label="Reason of the staff">
      <UserCog aria-hidden />
      {reason ? `You act in an account of others: ${reason}` : "This is an account of others. You may look at it."}
      <Button kind="link" onClick={() => setOpen(true)}>
        {reason ? "Change the reason" : "State a reason to act"}
      </Button>
      {isOpen && (
        <Modal title="Why do you act in this account?" onClose={() => setOpen(false)}>
          <ReasonForm account={account} onDone={() => setOpen(false)} />
        </Modal>
      )}
    </section>
  );
}
