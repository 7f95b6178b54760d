import { type ErrorComponentProps, Link } from "@tanstack/react-router";
import { Empty, Refusal } from "../controls/notice.js";
import styles from "../session/sign-in.module.css";

export function ErrorPage({ error }: ErrorComponentProps) {
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <h1 className={styles.brand}>This page does not work</h1>
        <Refusal error={error} onRetry={() => location.reload()} />
      </div>
    </main>
  );
}

export function NotFoundPage() {
  return (
    <main className={styles.page}>
      <h1 className="only-read">Not found</h1>
      <Empty title="There is no such page">
        <Link to="/">Overview</Link>
      </Empty>
    </main>
  );
}
