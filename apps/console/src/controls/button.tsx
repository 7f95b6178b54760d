import type { ButtonHTMLAttributes } from "react";
import styles from "./button.module.css";

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: "plain" | "primary" | "danger" | "link" | "icon";
  /** True while what it started is under way: it cannot be pressed again. */
  isBusy?: boolean;
}

export function Button({ kind = "plain", isBusy = false, type = "button", className = "", ...rest }: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      className={`${styles.button} ${styles[kind]} ${className}`}
      disabled={rest.disabled || isBusy}
      aria-busy={isBusy || undefined}
    />
  );
}
