import { type ReactNode, use, useState } from "react";
import { Button } from "../controls/button.js";
import { Modal } from "../controls/dialog.js";
import { MenuItem } from "../controls/menu.js";
import { useRefusal } from "./may.js";
import { ActsMenu } from "./more.js";
import { OperationForm, type OperationFormProps } from "./operation.form.js";

interface OperationButtonProps extends OperationFormProps {
  /** The title of the dialog; the text of the act if absent. */
  title?: string;
  /** What the button that opens the dialog shows; the text of the act if absent. */
  icon?: ReactNode;
  /** A button with an icon alone, for a row of a table. */
  isSmall?: boolean;
  /** True for what a page is there to begin. */
  isMain?: boolean;
  /** False hides the button; a dialog that is open stays, and shows why the API refuses the act. */
  isOffered?: boolean;
  /** Why the act is not possible now. */
  impossible?: string | undefined;
}

/** A button that opens the form of an operation in a dialog; inside `More`, an item of the menu. */
export function OperationButton(props: OperationButtonProps) {
  const { title, icon, isSmall, isMain, isOffered = true, impossible, ...form } = props;
  const [isOwnOpen, setOwnOpen] = useState(false);
  const menu = use(ActsMenu);
  const refusal = useRefusal(form.account, form.operation) ?? impossible;
  const { act } = form;
  // The menu renders the button twice; what it does is the same in both.
  const key = [act, form.operation.id, ...(form.ids ?? []), ...(form.only ?? [])].join(" ");
  const isOpen = menu ? menu.part === "dialog" && menu.chosen === key : isOwnOpen;
  const setOpen = (isNowOpen: boolean) => (menu ? menu.choose(isNowOpen ? key : undefined) : setOwnOpen(isNowOpen));
  return (
    <>
      {isOffered && menu?.part === "item" && (
        <MenuItem icon={icon} isDanger={form.kind === "danger"} refusal={refusal} onChoose={() => setOpen(true)}>
          {act}
        </MenuItem>
      )}
      {isOffered && !menu && (
        <Button
          kind={isSmall ? "icon" : isMain ? "primary" : "plain"}
          aria-label={isSmall ? act : undefined}
          title={refusal ?? (isSmall ? act : undefined)}
          disabled={refusal !== undefined}
          onClick={() => setOpen(true)}
        >
          {icon}
          {!isSmall && act}
        </Button>
      )}
      {isOpen && (
        <Modal title={title ?? act} onClose={() => setOpen(false)}>
          <OperationForm
            {...form}
            // The dialog says of which record it is.
            act={form.operation.method === "PATCH" && form.record ? "Save" : (title ?? act)}
            onDone={
              form.onDone || form.operation.answer !== "request"
                ? (body) => {
                    setOpen(false);
                    form.onDone?.(body);
                  }
                : undefined
            }
            other={<Button onClick={() => setOpen(false)}>{form.kind === "danger" ? "Keep" : "Close"}</Button>}
          />
        </Modal>
      )}
    </>
  );
}
