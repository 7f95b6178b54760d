import { useEffect, useState } from "react";
import { gantry } from "../api.js";
import { Button } from "./button.js";
import { Copy } from "./copy.js";
import { Refusal } from "./notice.js";
import styles from "./secret.module.css";

const SHOWN_MS = 60_000;

interface SecretProps {
  /** What it is, such as `password`. */
  what: string;
  /** The record that has it, in the API. */
  path: string;
  /** Finds it in the answer; null if the caller may not read it. */
  find: (body: unknown) => string | null;
}

/** A secret, masked until a person asks for it. Only the page holds its value, for a minute at most. */
export function Secret({ what, path, find }: SecretProps) {
  const [value, setValue] = useState<string | null>();
  const [error, setError] = useState<Error>();
  const [isReading, setReading] = useState(false);
  useEffect(() => {
    if (value === undefined) return;
    const timer = setTimeout(() => setValue(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [value]);
  const show = async () => {
    setReading(true);
    setError(undefined);
    try {
      const { body } = await gantry.call("GET", path, { headers: { "Gantry-Secrets": "show" } });
      setValue(find(body));
    } catch (thrown) {
      setError(thrown as Error);
    } finally {
      setReading(false);
    }
  };
  if (error) return <Refusal error={error} onRetry={() => void show()} />;
  if (value === null) return <>Not shown: it needs the role member and the scope secrets:read.</>;
  if (value !== undefined)
    return (
      <span className={styles.secret}>
        <code>{value}</code> <Copy text={value} what={what} />
        <Button onClick={() => setValue(undefined)}>Hide</Button>
        <small>It is hidden again after a minute.</small>
      </span>
    );
  return (
    <span className={styles.secret}>
      <span aria-hidden>••••••••</span>
      <Button isBusy={isReading} onClick={() => void show()}>
        Show the {what}
      </Button>
      <small>The audit records who reads it.</small>
    </span>
  );
}
