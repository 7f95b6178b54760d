import { columnOf, type Prisma, type Tx } from "@gantry/db";
import type { Audit, AuditEntry } from "../audit/audit.js";
import { shownInput } from "../audit/shown-input.js";
import type { Caller } from "../auth/caller.js";
import type { Endpoint } from "../endpoint.js";
import type { Call } from "./call.js";

/** The audit record of a call: what the handler notes, the accounts that it concerns, and its subject. */
export class CallRecord {
  private readonly noted: Partial<AuditEntry> = {};
  private readonly concernedIds = new Set<string>();

  constructor(
    private readonly audit: Audit,
    private readonly call: Call,
  ) {}

  readonly note = (more: Partial<AuditEntry>): void => void Object.assign(this.noted, more);

  readonly concern = (accountIds: readonly string[]): void => {
    for (const id of accountIds) this.concernedIds.add(id);
  };

  /** The insert of the record, for the statement that accepts a Request. */
  insert(accepted: Partial<AuditEntry>): Prisma.Sql {
    return this.audit.insert({ ...this.entry, ...accepted });
  }

  /** Writes the record into the chain of each account, and returns the account of its subject. */
  async write(db: Tx, output: unknown, caller: Caller | undefined): Promise<string | null> {
    const entry = { ...this.entry, ...subjectOf(this.call.endpoint, output, caller), ...this.noted };
    if (entry.accountId) this.concernedIds.add(entry.accountId);
    for (const accountId of this.concernedIds.size > 0 ? this.concernedIds : [null])
      await this.audit.write(db, { ...entry, accountId });
    return entry.accountId ?? null;
  }

  private get entry() {
    const { endpoint, rawBody } = this.call;
    const { route: action, reply, body } = endpoint;
    return { action, status: reply.status, changes: shownInput(body, rawBody) };
  }
}

/** The audit records each change, except the reports of servers, which their Request shows. */
export function isAudited({ method, rate }: Endpoint): boolean {
  return method !== "GET" && rate !== "report";
}

/** The record that a call concerned: the one that it answers with, else the one that it found last. */
function subjectOf({ reply }: Endpoint, output: unknown, caller: Caller | undefined): Partial<AuditEntry> {
  const { recordName } = reply;
  const found = caller?.lastFound;
  const shown = recordName === undefined ? undefined : (output as { id: string | number; accountId?: string });
  const subject = shown ? `${recordName}/${shown.id}` : found && `${columnOf(found.model)}/${found.id}`;
  return { accountId: shown?.accountId ?? found?.accountId ?? null, subject: subject ?? null };
}
