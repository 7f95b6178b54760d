import type { ReactNode } from "react";
import styles from "./card.module.css";

interface CardPageProps {
  title: ReactNode;
  children: ReactNode;
  /** What stands below the card. */
  hint?: ReactNode;
}

/** A page that is only one card, without the frame of an account. */
export function CardPage({ title, children, hint }: CardPageProps) {
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <h1 className={styles.title}>{title}</h1>
        {children}
      </div>
      {hint}
    </main>
  );
}
