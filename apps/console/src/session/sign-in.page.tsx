import { useNavigate, useSearch } from "@tanstack/react-router";
import { Brand } from "../frame/brand.js";
import { linkRefusal } from "./one-time-link.js";
import { SignInForm } from "./sign-in.form.js";
import styles from "./sign-in.module.css";

export function Page() {
  const navigate = useNavigate();
  const { return_to: to = "/" } = useSearch({ from: "/sign-in" });
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <h1 className={styles.brand}>
          <Brand />
        </h1>
        <SignInForm refusal={linkRefusal()} onDone={() => void navigate({ href: to, replace: true })} />
      </div>
      <p className={styles.hint}>
        On your own machine, <code>npm start</code> prints the first user once.
      </p>
    </main>
  );
}
