import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Button } from "../controls/button.js";
import { Field } from "../controls/field.js";
import { Refusal } from "../controls/notice.js";
import { type Credentials, sessionQuery, signIn } from "./session.js";
import styles from "./sign-in.module.css";

/** The ways to sign in: the issuer, or a password or an API token. */
export function SignInForm({ onDone, refusal }: { onDone: () => void; refusal?: Error | undefined }) {
  const [way, setWay] = useState<"password" | "token">("password");
  const { data } = useQuery(sessionQuery);
  const opening = useMutation({ mutationFn: (credentials: Credentials) => signIn(credentials), onSuccess: onDone });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const text = (name: string) => String(given.get(name) ?? "").trim();
    opening.mutate(
      way === "token"
        ? { api_token: text("token") }
        : { email: text("email"), password: String(given.get("password") ?? "") },
    );
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      {data?.sign_in.issuer && (
        <a className={styles.issuer} href={`/sign-in?return_to=${encodeURIComponent(location.pathname)}`}>
          Sign in with your company
        </a>
      )}
      {way === "password" ? (
        <>
          <Field label="E-mail" name="email" type="email" autoComplete="username" required />
          <Field label="Password" name="password" type="password" autoComplete="current-password" required />
        </>
      ) : (
        <Field label="API token" name="token" type="password" autoComplete="off" required />
      )}
      <Refusal error={opening.error ?? refusal} />
      <Button kind="primary" type="submit" isBusy={opening.isPending}>
        Sign in
      </Button>
      <Button kind="link" onClick={() => setWay(way === "password" ? "token" : "password")}>
        {way === "password" ? "Use an API token" : "Use a password"}
      </Button>
    </form>
  );
}
