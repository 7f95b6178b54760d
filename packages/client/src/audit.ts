import { ConnectionLost, GantryError, Unavailable } from "./errors.js";
import type { AuditRecord } from "./generated/schemas.js";
import { type CallOptions, pauseBefore, sleep, type Transport } from "./transport.js";

/** The end of a chain at a certain time, as workers append it to `AUDIT_HEADS_FILE`. */
export interface AuditHead {
  /** The account's id, or zeros for the installation. */
  chain: string;
  position: number;
  /** In hexadecimal. */
  hash: string;
}

/** A record that is not what was written, or is gone. */
export interface AuditFinding {
  position: number;
  /** Absent if the record is gone. */
  id?: string;
  found: "changed" | "removed";
}

export interface AuditCheck {
  records: number;
  /** The last record; undefined in an empty chain. */
  head: Omit<AuditHead, "chain"> | undefined;
  findings: AuditFinding[];
  /**
   * Records that are not as their hash says, and that show a URL with a hidden part, as the API shows records of version 0.1.
   * Only the operator can tell whether such a record was changed.
   */
  unchecked: number[];
}

const ATTEMPTS = 6;
/** The action of a record that says of another one that its input was redacted. */
const REDACTION = "redact audit record";
/** How the API shows a URL of which it hides a part. */
const MASKED = /\/\*\*\*"|"…"/;

/**
 * The records of a chain in their order. A lost connection costs time: the export continues after the last record.
 *
 * @param path of the export, such as `/accounts/ID/audit/export`
 * @throws ConnectionLost after six attempts that brought nothing, and any GantryError after which another would end the same way
 */
export async function* auditRecordsAt(
  transport: Transport,
  path: string,
  { reason, signal = new AbortController().signal }: Pick<CallOptions, "reason" | "signal"> = {},
): AsyncGenerator<AuditRecord> {
  const headers = reason ? { "Gantry-Reason": reason } : {};
  let after = 0;
  for (let failures = 0; ; ) {
    try {
      const response = await transport.open(transport.urlOf(path, { after }), headers, signal);
      for await (const line of linesOf(response)) {
        const record = JSON.parse(line) as AuditRecord;
        after = record.position;
        failures = 0;
        yield record;
      }
      return;
    } catch (error) {
      const isPassing = !(error instanceof GantryError) || error instanceof Unavailable;
      if (signal.aborted || !isPassing) throw error;
      if (++failures >= ATTEMPTS)
        throw new ConnectionLost(`the audit ended after record ${after}: ${(error as Error).message}`, {
          code: "connection_lost",
          attempts: failures,
          cause: error,
        });
      await sleep(pauseBefore(failures, error as GantryError), signal);
    }
  }
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  let rest = "";
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    const lines = (rest + decoder.decode(value, { stream: !done })).split("\n");
    rest = done ? "" : (lines.pop() ?? "");
    yield* lines.filter(Boolean);
    if (done) return;
  }
}

/**
 * Computes every hash of a chain again. It needs no trust in the server if `heads` were kept elsewhere: without them, a chain
 * that was rewritten from one record to its end is whole.
 *
 * @param records from the first one, in their order
 * @param heads earlier ends of this chain
 */
export async function verifyAudit(
  records: AsyncIterable<AuditRecord>,
  { heads = [] }: { heads?: readonly Omit<AuditHead, "chain">[] } = {},
): Promise<AuditCheck> {
  const findings: AuditFinding[] = [];
  const unchecked: number[] = [];
  const kept = new Map(heads.map(({ position, hash }) => [position, hash]));
  /** Records that are not what their hash says, with the hash of what they are now. */
  const different = new Map<string, AuditFinding & { hash: string; now: string }>();
  const redactions: AuditRecord[] = [];
  let previous = "";
  let position = 0;
  let count = 0;
  for await (const record of records) {
    const { id, hash } = record;
    const missing = record.position - position - 1;
    if (missing > 0) findings.push({ position: position + 1, found: "removed" });
    // After a gap, the hash before is unknown.
    const now = missing > 0 ? hash : await hashOf(previous, record);
    const at = { position: record.position, id, found: "changed" } as const;
    if (missing < 0) findings.push(at);
    else if (now !== hash && hasMask(record.changes)) unchecked.push(record.position);
    else if (now !== hash) different.set(`audit_record/${id}`, { ...at, hash, now });
    if (kept.has(record.position) && kept.get(record.position) !== hash) findings.push(at);
    if (record.action === REDACTION) redactions.push(record);
    previous = hash;
    position = record.position;
    count++;
  }
  for (const { subject, changes } of redactions) {
    const record = different.get(subject ?? "");
    if (record && changes.hash === record.hash && changes.redacted_hash === record.now) different.delete(subject ?? "");
  }
  for (const { position: where, id, found } of different.values())
    findings.push({ position: where, found, ...(id !== undefined && { id }) });
  const gone = Math.min(...[...kept.keys()].filter((where) => where > position));
  if (Number.isFinite(gone)) findings.push({ position: position + 1, found: "removed" });
  findings.sort((one, other) => one.position - other.position);
  return { records: count, head: count > 0 ? { position, hash: previous } : undefined, findings, unchecked };
}

/** The SHA-256 of the hash before and of a record, as the database computes it. */
async function hashOf(previous: string, record: AuditRecord): Promise<string> {
  const { id, account, user, token, ip_address, trace_id, action, subject, request } = record;
  const { changes, status, reason, created_at } = record;
  const values = [id, idIn(account), idIn(user), token, ip_address, trace_id, action, subject, idIn(request)];
  const all = [...values, JSON.stringify(changes), String(status), reason, created_at];
  const content = new TextEncoder().encode(`[${all.map((value) => JSON.stringify(value)).join(", ")}]`);
  const before = Uint8Array.from(previous.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
  const bytes = new Uint8Array([...before, ...content]);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function idIn(url: string | null): string | null {
  return url === null ? null : (url.split("/").at(-1) ?? null);
}

function hasMask(changes: unknown): boolean {
  return MASKED.test(JSON.stringify(changes));
}
