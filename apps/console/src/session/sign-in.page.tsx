import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { Brand } from "../controls/brand.js";
import { CardPage } from "../controls/card.js";
import { linkRefusal } from "./one-time-link.js";
import { SignInForm } from "./sign-in.form.js";
import styles from "./sign-in.module.css";

export function Page() {
  const navigate = useNavigate();
  const { return_to: to = "/" } = useSearch({ from: "/sign-in" });
  useEffect(() => {
    document.title = "Sign in · Gantry";
  }, []);
  const hint = (
    <p className={styles.hint}>
      On your own machine, <code>npm start</code> prints the first user once.
    </p>
  );
  return (
    <CardPage title={<Brand />} hint={hint}>
      <SignInForm refusal={linkRefusal()} onDone={() => void navigate({ href: to, replace: true })} />
    </CardPage>
  );
}
