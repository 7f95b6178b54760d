import { Dialog } from "@base-ui/react/dialog";
import type { ReactNode } from "react";
import styles from "./dialog.module.css";

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
