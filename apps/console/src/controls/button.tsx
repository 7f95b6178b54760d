import type { ButtonHTMLAttributes } from "react";
import styles from "./button.module.css";

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: "plain" | "primary" | "danger" | "link" | "icon";
  /** True while what it started is under way: it cannot be pressed again. */
  isBusy?: boolean;
}

export function Button({
  kind = "plain",
  isBusy = false,
  type = "button",
  className = "",
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      className={`${styles.button} ${styles[kind]} ${className}`}
      // A disabled button would lose the focus.
      aria-disabled={isBusy || undefined}
      aria-busy={isBusy || undefined}
      onClick={isBusy ? (event) => event.preventDefault() : onClick}
    />
  );
}
