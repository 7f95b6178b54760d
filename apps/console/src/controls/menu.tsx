import { Menu } from "@base-ui/react/menu";
import { ChevronDown } from "lucide-react";
import { type ReactNode, useState } from "react";
import styles from "./menu.module.css";

interface DropdownProps {
  /** What the button is called, if it shows something else. */
  label?: string;
  shown: ReactNode;
  /** The class of the button. */
  className?: string;
  children: ReactNode;
}

/** A button that opens a menu. */
export function Dropdown({ label, shown, className = styles.trigger, children }: DropdownProps) {
  // The popup stays beside its button, in the same landmark.
  const [place, setPlace] = useState<HTMLElement | null>(null);
  return (
    <span className={styles.dropdown}>
      <Menu.Root>
        <Menu.Trigger className={className} aria-label={label}>
          <span className={styles.shown}>{shown}</span>
          <ChevronDown aria-hidden />
        </Menu.Trigger>
        <span ref={setPlace} />
        <Menu.Portal container={place}>
          <Menu.Positioner align="end" sideOffset={4} className={styles.positioner}>
            <Menu.Popup className={styles.popup}>{children}</Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
    </span>
  );
}

interface MenuItemProps {
  icon?: ReactNode;
  isDanger?: boolean;
  /** Why the item cannot be chosen now. */
  refusal?: string | undefined;
  onChoose: () => void;
  children: ReactNode;
}

/** Something that a menu can do. */
export function MenuItem({ icon, isDanger = false, refusal, onChoose, children }: MenuItemProps) {
  return (
    <Menu.Item
      className={`${styles.item} ${isDanger ? styles.danger : ""}`}
      disabled={refusal !== undefined}
      onClick={onChoose}
    >
      <span className={styles.mark}>{icon}</span>
      <span>
        {children}
        {refusal && <span className={styles.refusal}>{refusal}</span>}
      </span>
    </Menu.Item>
  );
}
