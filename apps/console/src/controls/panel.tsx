import { type ReactNode, useEffect, useRef } from "react";
import styles from "./panel.module.css";

/** The title of the page before; undefined on the first one. */
let shownTitle: string | undefined;

interface HeadingProps {
  title: string;
  /** What the tab of the browser says; the title if absent. */
  tab?: string;
  /** The pages above this one. */
  trail?: ReactNode;
  children?: ReactNode;
}

/** The first line of a page: its name and what can be done. A page that follows another takes the focus. */
export function Heading({ title, tab = title, trail, children }: HeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (shownTitle !== undefined && shownTitle !== title) heading.current?.focus();
    shownTitle = title;
    document.title = `${tab} · Gantry`;
  }, [title, tab]);
  return (
    <div className={styles.heading}>
      <div>
        {trail && (
          <nav className={styles.trail} aria-label="Above this page">
            {trail}
          </nav>
        )}
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
      </div>
      <div className={styles.acts}>{children}</div>
    </div>
  );
}

export function Panel({ title, children }: { title?: ReactNode; children: ReactNode }) {
  return (
    <section className={styles.panel}>
      {title && <h2 className={styles.title}>{title}</h2>}
      {children}
    </section>
  );
}

/** What can be done with the list below, inside a panel. */
export function Bar({ children }: { children: ReactNode }) {
  return <div className={styles.bar}>{children}</div>;
}
