import type { InputHTMLAttributes, ReactNode, SelectHTMLAttributes, TextareaHTMLAttributes } from "react";
import { useId } from "react";
import styles from "./field.module.css";

interface Labelled {
  label: string;
  /** True if the API does without the value. */
  isOptional?: boolean;
  hint?: ReactNode;
  /** Why the API refused the value. */
  refusal?: string | undefined;
}

function Label({ id, label, isOptional }: { id: string; label: string; isOptional: boolean | undefined }) {
  return (
    <div className={styles.label}>
      <label htmlFor={id}>{label}</label>
      {isOptional && <span className={styles.hint}>optional</span>}
    </div>
  );
}

export function Field({
  label,
  isOptional,
  hint,
  refusal,
  ...input
}: Labelled & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId();
  return (
    <div className={styles.field}>
      <Label {...{ id, label, isOptional }} />
      <input {...input} id={id} aria-invalid={refusal ? true : undefined} aria-describedby={`${id}-note`} />
      <Note id={id} hint={hint} refusal={refusal} />
    </div>
  );
}

export function Choice({
  label,
  isOptional,
  hint,
  refusal,
  ...select
}: Labelled & SelectHTMLAttributes<HTMLSelectElement>) {
  const id = useId();
  return (
    <div className={styles.field}>
      <Label {...{ id, label, isOptional }} />
      <select {...select} id={id} aria-invalid={refusal ? true : undefined} aria-describedby={`${id}-note`} />
      <Note id={id} hint={hint} refusal={refusal} />
    </div>
  );
}

/** Several lines of text. */
export function Lines({
  label,
  isOptional,
  hint,
  refusal,
  ...area
}: Labelled & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  const id = useId();
  return (
    <div className={styles.field}>
      <Label {...{ id, label, isOptional }} />
      <textarea rows={3} {...area} id={id} aria-invalid={refusal ? true : undefined} aria-describedby={`${id}-note`} />
      <Note id={id} hint={hint} refusal={refusal} />
    </div>
  );
}

export function Check({ label, hint, ...input }: Labelled & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId();
  return (
    <div className={styles.check}>
      <input {...input} id={id} type="checkbox" aria-describedby={`${id}-note`} />
      <div>
        <label htmlFor={id}>{label}</label>
        <Note id={id} hint={hint} />
      </div>
    </div>
  );
}

interface ChecksProps {
  label: string;
  isOptional?: boolean;
  hint?: ReactNode;
  refusal?: string | undefined;
  choices: readonly string[];
  chosen: readonly string[];
  /** Receives the chosen words with commas between them. */
  onChange: (text: string) => void;
}

/** Several of a few words that are known. */
export function Checks({ label, isOptional, hint, refusal, choices, chosen, onChange }: ChecksProps) {
  const id = useId();
  const change = (choice: string, isChosen: boolean) =>
    onChange(choices.filter((each) => (each === choice ? isChosen : chosen.includes(each))).join(", "));
  return (
    <fieldset className={styles.checks} aria-describedby={`${id}-note`}>
      <legend>
        {label} {isOptional && <span className={styles.hint}>optional</span>}
      </legend>
      <div>
        {choices.map((choice) => (
          <label key={choice}>
            <input
              type="checkbox"
              checked={chosen.includes(choice)}
              onChange={(event) => change(choice, event.target.checked)}
            />
            {choice}
          </label>
        ))}
      </div>
      <Note id={id} hint={hint} refusal={refusal} />
    </fieldset>
  );
}

function Note({ id, hint, refusal }: { id: string; hint?: ReactNode; refusal?: string | undefined }) {
  return (
    <p id={`${id}-note`} className={refusal ? styles.refusal : styles.hint}>
      {refusal ?? hint}
    </p>
  );
}
