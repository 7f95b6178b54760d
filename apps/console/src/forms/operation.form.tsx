import { GantryError, type Plan, type Request } from "@gantry/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useState } from "react";
import { cache, gantry } from "../api.js";
import { Button } from "../controls/button.js";
import { Curl } from "../controls/curl.js";
import { Check, Checks, Choice, Field, Lines } from "../controls/field.js";
import styles from "../controls/form.module.css";
import { Refusal } from "../controls/notice.js";
import { costText, PlanText } from "../controls/plan.js";
import { ReasonForm, useStaffReason } from "../session/staff-reason.js";
import type { Operation, OperationField } from "./operation.js";
import { RecordChoice } from "./record.choice.js";
import { bodyOf, initialValues, itemsOf, labelOf, queryOf, type Values } from "./values.js";

type FieldChoices = Record<string, readonly (readonly [value: string, label: string])[] | undefined>;

export interface OperationFormProps {
  account: string;
  operation: Operation;
  /** The ids of the path, in its order, but for that of the account. */
  ids?: (string | number)[];
  /** What the button says. */
  act: string;
  /** What the button that carries out a plan says, without the costs; the act if absent. */
  planned?: (plan: Plan) => string;
  kind?: "primary" | "danger";
  /** The paths of the fields that are shown, in this order; all if absent. */
  only?: string[];
  /** Values by path that the person does not choose. */
  fixed?: Record<string, unknown>;
  /** The record whose values the form changes. */
  record?: object | undefined;
  /** By path: what a text may be, which may depend on other values. */
  choices?: FieldChoices | ((values: Values) => FieldChoices);
  labels?: Record<string, string>;
  /** A name that must be typed before the act is possible. */
  confirm?: string | undefined;
  /** What stands above the fields. */
  children?: ReactNode;
  /** After the act; without it, a Request that began is shown. Receives the body of the answer. */
  onDone?: ((body: unknown) => void) | undefined;
  /** A button beside the one that acts. */
  other?: ReactNode;
}

/** The form of an operation. What costs money or takes time shows its plan first. */
export function OperationForm(props: OperationFormProps) {
  const staff = useStaffReason(props.account);
  return staff && !staff.reason ? <ReasonForm account={props.account} /> : <Fields {...props} />;
}

function Fields(props: OperationFormProps) {
  const { account, operation, ids = [], act, kind = "primary", only, fixed, record, choices, labels, confirm } = props;
  const all = operation.fields.filter(({ path }) => !(fixed && path in fixed));
  const fields = only ? only.flatMap((path) => all.find((field) => field.path === path) ?? []) : all;
  const [initial] = useState(() => initialValues(operation.fields, record));
  const [values, setValues] = useState<Values>(initial);
  const given = typeof choices === "function" ? choices(values) : choices;
  const [key] = useState(() => crypto.randomUUID());
  const [typed, setTyped] = useState("");
  const navigate = useNavigate();

  const path = pathOf(operation.path, account, ids);
  const hasBody = operation.fields.some(({ isQuery }) => !isQuery);
  const build = () => bodyOf(operation, { values, initial, fixed });
  const body = attempt(build);
  const query = queryOf(operation, values, initial);
  const text = JSON.stringify([body ?? null, query]);
  const planOf = async () => {
    const { body: answer } = await gantry.call(operation.method, path, {
      query: { ...query, dry_run: true },
      ...(hasBody && { body: build() }),
    });
    return { plan: (answer as { plan: Plan }).plan, text };
  };
  const asking = useMutation({ mutationFn: planOf });
  // There is nothing to fill in before the plan.
  const isPlannedAtOnce = fields.every(({ isQuery }) => isQuery);
  const asked = useQuery({
    queryKey: ["plan", operation.id, path, text],
    queryFn: planOf,
    enabled: operation.canPlan && isPlannedAtOnce,
    staleTime: 0,
    gcTime: 0,
  });
  const answer = isPlannedAtOnce ? asked.data : asking.data;
  // A plan of other values is not that of the form.
  const plan = answer?.text === text ? answer.plan : undefined;
  const acting = useMutation({
    mutationFn: () =>
      gantry.call(operation.method, path, {
        idempotencyKey: key,
        query,
        ...(hasBody && { body: build() }),
      }),
    onSuccess: ({ body: answered }) => {
      const request = (answered as { request?: Request } | undefined)?.request;
      if (props.onDone) props.onDone(answered);
      if (request && !props.onDone)
        return void navigate({ to: "/$account/requests/$request", params: { account, request: request.id } });
      // An act without a Request is done: what was read may be old.
      if (!request) void cache.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "session" });
    },
  });

  const refused = acting.error ?? asking.error ?? asked.error;
  const details = refused instanceof GantryError ? refused.details : [];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (plan || !operation.canPlan) acting.mutate();
    else if (!isPlannedAtOnce) asking.mutate();
  };
  const isPlanned = plan !== undefined || !operation.canPlan;
  const isAllowed = (confirm === undefined || typed === confirm) && !(isPlannedAtOnce && asked.error);
  return (
    <form className={styles.form} onSubmit={submit}>
      <div className={styles.fields}>
        {props.children}
        {fields.map((field) => (
          <Input
            key={field.path}
            account={account}
            field={field}
            isOptional={!field.isRequired && operation.method === "POST"}
            label={labels?.[field.path] ?? labelOf(field.path)}
            choices={given?.[field.path]}
            value={values[field.path] ?? ""}
            refusal={details.find((detail) => detail.path === field.path)?.message}
            onChange={(value) => setValues({ ...values, [field.path]: value })}
          />
        ))}
      </div>
      {plan ? (
        <div className={styles.plan}>
          <PlanText plan={plan} />
        </div>
      ) : (
        operation.canPlan && (
          <p className={styles.later}>The plan comes here: what is made and changed in AWS, and what it costs.</p>
        )
      )}
      {confirm !== undefined && (
        <Field
          label={`Type ${confirm} to confirm`}
          value={typed}
          autoComplete="off"
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
      <Refusal error={refused} />
      <div className={styles.acts}>
        {props.other}
        <Button
          kind={isPlanned ? kind : "primary"}
          type="submit"
          isBusy={asking.isPending || acting.isPending || asked.isLoading}
          disabled={isPlanned && !isAllowed}
        >
          {isPlanned
            ? `${(plan && props.planned?.(plan)) ?? act}${plan ? costText(plan) : ""}`
            : isPlannedAtOnce
              ? act
              : "Show the plan"}
        </Button>
        <Curl method={operation.method} path={`${path}${suffixOf(query)}`} body={hasBody ? body : undefined} />
      </div>
    </form>
  );
}

function suffixOf(query: Record<string, boolean>): string {
  const text = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString();
  return text && `?${text}`;
}

/** The result of a function, or undefined if it throws. */
function attempt<T>(build: () => T): T | undefined {
  try {
    return build();
  } catch {
    return undefined;
  }
}

/** The path of an operation, with ids for the names in its braces. */
export function pathOf(pattern: string, account: string, ids: readonly (string | number)[]): string {
  const rest = [...ids];
  return pattern.replace(/\{(\w+)\??\}/g, (_, name: string) =>
    encodeURIComponent(name === "account" ? account : String(rest.shift())),
  );
}

interface InputProps {
  account: string;
  field: OperationField;
  isOptional: boolean;
  label: string;
  choices: readonly (readonly [value: string, label: string])[] | undefined;
  value: string | boolean;
  refusal: string | undefined;
  onChange: (value: string | boolean) => void;
}

function Input({ account, field, isOptional, label, choices, value, refusal, onChange }: InputProps) {
  const { kind, example, isRequired = false, records } = field;
  // A label such as "Storage in GB" has said it.
  const hint = field.hint && label.toLowerCase().includes(field.hint.toLowerCase()) ? undefined : field.hint;
  if (kind === "flag")
    return (
      <Check label={label} hint={hint} checked={value === true} onChange={(event) => onChange(event.target.checked)} />
    );
  const text = String(value);
  const shared = {
    label,
    refusal,
    value: text,
    required: isRequired,
    isOptional,
    hint,
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
  };
  if (records)
    return (
      <RecordChoice {...{ account, label, isOptional, refusal, onChange }} field={{ ...field, records }} value={text} />
    );
  if (kind === "list" && field.choices)
    return <Checks {...shared} choices={field.choices.map(String)} chosen={itemsOf(text)} onChange={onChange} />;
  const given = choices ?? field.choices?.map((choice) => [String(choice), String(choice)] as const);
  if (given)
    return (
      // What the API says of a text does not hold for the choices of a page.
      <Choice {...shared} hint={choices ? undefined : hint}>
        {(text === "" || !isRequired) && <option value="">{isRequired ? "Choose one" : "–"}</option>}
        {text !== "" && !given.some(([each]) => each === text) && <option value={text}>{text}</option>}
        {given.map(([each, name]) => (
          <option key={each} value={each}>
            {name}
          </option>
        ))}
      </Choice>
    );
  if (kind === "tags") return <Lines {...shared} placeholder="team=shop" />;
  if (kind === "json") return <Lines {...shared} />;
  const type = { number: "number", secret: "password", time: "datetime-local" }[kind as string] ?? "text";
  return <Field {...shared} type={type} placeholder={example} autoComplete="off" />;
}
