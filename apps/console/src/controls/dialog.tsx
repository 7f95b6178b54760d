import { AlertDialog } from "@base-ui/react/alert-dialog";
import { Dialog } from "@base-ui/react/dialog";
import type { ReactNode } from "react";
import { Button } from "./button.js";
import styles from "./dialog.module.css";
import { Refusal } from "./notice.js";

interface ModalProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
}

/** A dialog that is open as long as it is rendered. */
export function Modal({ title, onClose, children }: ModalProps) {
  return (
    // A press beside the dialog must not lose what was typed; the sign-in dialog may open over it.
    <Dialog.Root open disablePointerDismissal onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.backdrop} />
        <Dialog.Popup className={styles.popup}>
          <Dialog.Title className={styles.title}>{title}</Dialog.Title>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface ConfirmationProps extends ModalProps {
  /** What the button that acts says. */
  act: string;
  kind?: "primary" | "danger";
  onConfirm: () => void;
  isBusy: boolean;
  isAllowed?: boolean;
  error: Error | null;
}

/** Asks before an act. The focus is on "Keep", so that Enter changes nothing. */
export function Confirmation(props: ConfirmationProps) {
  const { title, children, act, kind = "danger", onConfirm, onClose, isBusy, isAllowed = true, error } = props;
  return (
    <AlertDialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={styles.backdrop} />
        <AlertDialog.Popup className={styles.popup}>
          <AlertDialog.Title className={styles.title}>{title}</AlertDialog.Title>
          <AlertDialog.Description render={<div />} className={styles.text}>
            {children}
          </AlertDialog.Description>
          <Refusal error={error} />
          <div className={styles.acts}>
            <AlertDialog.Close render={<Button />}>Keep</AlertDialog.Close>
            <Button kind={kind} onClick={onConfirm} isBusy={isBusy} disabled={!isAllowed}>
              {act}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
