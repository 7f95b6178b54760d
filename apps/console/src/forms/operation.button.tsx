import { type ReactNode, useState } from "react";
import { Button } from "../controls/button.js";
import { Modal } from "../controls/dialog.js";
import { useRefusal } from "./may.js";
import { OperationForm, type OperationFormProps } from "./operation.form.js";

interface OperationButtonProps extends OperationFormProps {
  /** The title of the dialog; the text of the act if absent. */
  title?: string;
  /** What the button that opens the dialog shows; the text of the act if absent. */
  icon?: ReactNode;
  /** A button with an icon alone, for a row of a table. */
  isSmall?: boolean;
  /** Why the act is not possible now. */
  impossible?: string | undefined;
}

/** A button that opens the form of an operation in a dialog. */
export function OperationButton({ title, icon, isSmall, impossible, ...form }: OperationButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const refusal = useRefusal(form.account, form.operation) ?? impossible;
  return (
    <>
      <Button
        kind={isSmall ? "icon" : "plain"}
        aria-label={isSmall ? form.act : undefined}
        title={refusal ?? (isSmall ? form.act : undefined)}
        disabled={refusal !== undefined}
        onClick={() => setOpen(true)}
      >
        {icon}
        {!isSmall && form.act}
      </Button>
      {isOpen && (
        <Modal title={title ?? form.act} onClose={() => setOpen(false)}>
          <OperationForm
            {...form}
            onDone={
              form.onDone || form.operation.answer !== "request"
                ? (body) => {
                    setOpen(false);
                    form.onDone?.(body);
                  }
                : undefined
            }
            other={<Button onClick={() => setOpen(false)}>Keep</Button>}
          />
        </Modal>
      )}
    </>
  );
}
