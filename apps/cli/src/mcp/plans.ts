import { createHash, randomUUID } from "node:crypto";
import type { Plan, Request } from "@gantry/client";
import type { CommandFacts } from "../command-table.js";
import { CommandError } from "../exit-codes.js";
import type { CallInput } from "../input.js";
import { planLines } from "../plan-view.js";
import type { Session } from "../session.js";
import { partOf, textOf } from "./answers.js";
import { assertWithin } from "./budget.js";
import { callOf, type Operation, operationOf, verbsOf } from "./call.js";
import { differences } from "./differences.js";

/** How long a plan can be run. */
const LIFE_MS = 15 * 60_000;
/** A plan is shown as a whole or not at all. */
const MOST = 7_000;

/** What a plan said when it was made. */
interface Shown {
  /** The API's plan, if the operation has a dry run. */
  plan?: Plan;
  /** The record that would change, as it was. */
  now?: unknown;
}

interface Kept {
  operation: Operation;
  call: CallInput;
  shown: Shown;
  nonce: string;
  madeAt: number;
  /** Whether it was sent and the answer may have been lost. */
  isSent?: boolean;
  /** The answer of the API once the plan was carried out. */
  answer?: string;
}

/** Makes plans, keeps them for a while, and carries out exactly those that were shown. */
export class Plans {
  readonly #kept = new Map<string, Kept>();

  constructor(
    readonly session: Session,
    readonly maxMonthlyUsd: number | undefined,
  ) {}

  /** Plans a change without making it. Returns what it would do, what it costs, and the `plan_id` that runs it. */
  async make(name: string, ids: readonly string[], input: Readonly<Record<string, unknown>>): Promise<string> {
    const operation = await operationOf(name);
    const { facts } = operation;
    if (facts.method === "GET") throw new CommandError(`${name} only reads`, undefined, ["list_records reads it"]);
    if (facts.showsSecret)
      throw new CommandError(`${name} answers with a secret`, undefined, [`ask the user to run: gantry ${name}`]);
    const call = await callOf(this.session, operation, ids, input);
    const shown = await this.#show(operation, call);
    const text = textOfPlan(operation, call, shown);
    assertWithin(this.maxMonthlyUsd, facts, shown.plan);
    if (Buffer.byteLength(text) > MOST)
      throw new CommandError("the plan is too long to be shown", undefined, [`ask the user to run: gantry ${name}`]);
    const kept: Kept = { operation, call, shown, nonce: randomUUID(), madeAt: Date.now() };
    const id = idOf(kept, shown);
    this.#forgetOld();
    this.#kept.set(id, kept);
    return `${text}\nplan_id ${id}, good for ${LIFE_MS / 60_000} minutes`;
  }

  /**
   * Carries out a plan that was shown, once: repeated, it returns the same answer.
   *
   * @throws CommandError if the plan is not known, or would say something else now
   */
  async run(id: string): Promise<string> {
    this.#forgetOld();
    const kept = this.#kept.get(id);
    if (!kept)
      throw new CommandError(`there is no plan ${id}`, undefined, [
        `a plan is good for ${LIFE_MS / 60_000} minutes, in the process that made it: call make_plan again`,
      ]);
    if (kept.answer) return `This plan was carried out before; nothing was done again.\n${kept.answer}`;
    const { operation, call, shown } = kept;
    const current = await this.#show(operation, call);
    if (idOf(kept, current) !== id)
      throw new CommandError("nothing was done: the situation is not the one that the plan showed", undefined, [
        ...differences(shown, current),
        ...(kept.isSent ? ["an earlier call of run_plan may have carried it out: see list_records requests"] : []),
        "call make_plan again",
      ]);
    kept.isSent = true;
    const { body } = await this.session.gantry.call(operation.facts.method, call.path, {
      query: call.query,
      body: bodyOf(operation.facts, call.body),
      idempotencyKey: `mcp-${id}`,
    });
    kept.answer = answerOf(operation, body);
    return kept.answer;
  }

  async #show({ noun, facts }: Operation, { path, query, body }: CallInput): Promise<Shown> {
    const { gantry } = this.session;
    const [planned, now] = await Promise.all([
      facts.canPlan
        ? gantry.call(facts.method, path, {
            query: { ...query, dry_run: true },
            body: bodyOf(facts, body),
          })
        : undefined,
      this.#target(noun, facts.path, path),
    ]);
    const plan = (planned?.body as { plan?: Plan } | undefined)?.plan;
    return { ...(plan && { plan }), ...(now !== undefined && { now }) };
  }

  /** The record that a call is about; undefined if there is none yet. */
  async #target(noun: string, pattern: string, path: string): Promise<unknown> {
    const { show } = await verbsOf(noun);
    if (!show?.path.includes("{") || !(pattern === show.path || pattern.startsWith(`${show.path}/`))) return undefined;
    const length = show.path.split("/").length;
    const { body } = await this.session.gantry.call("GET", path.split("/").slice(0, length).join("/"));
    return Object.values(body as object)[0];
  }

  #forgetOld(): void {
    const oldest = Date.now() - LIFE_MS;
    for (const [id, { madeAt }] of this.#kept) if (madeAt < oldest) this.#kept.delete(id);
  }
}

/** Names a plan by what it does and what it showed. Two equal plans have two names, so that both can be run. */
function idOf({ operation, call, nonce }: Kept, shown: Shown): string {
  const text = JSON.stringify([nonce, operation.name, call, shown]);
  return `plan_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
}

function bodyOf({ method }: CommandFacts, body: CallInput["body"]): CallInput["body"] {
  return body ?? (method === "DELETE" ? undefined : {});
}

function textOfPlan({ name, facts }: Operation, { path, query, body }: CallInput, { plan, now }: Shown): string {
  const isQuery = Object.keys(query).length > 0;
  return [
    plan ? planLines(plan).join("\n") : `Plan: ${facts.summary} (nothing was changed). It has no cost in AWS.`,
    // Whole, with values that are null: those take something away.
    `${name} sends: ${facts.method} ${path}${isQuery ? ` ${JSON.stringify(query)}` : ""}${body ? ` ${JSON.stringify(body)}` : ""}`,
    ...(now === undefined ? [] : [`The record now: ${partOf(textOf(now), undefined)}`]),
  ].join("\n");
}

function answerOf({ facts }: Operation, body: unknown): string {
  if (facts.answer === "request") {
    const { id, type, state } = (body as { request: Request }).request;
    return `Request ${id} accepted: ${type.replaceAll("_", " ")}, ${state}. follow_request shows its end.`;
  }
  return body === undefined ? "Done." : partOf(`Done: ${textOf(body)}`, undefined);
}
