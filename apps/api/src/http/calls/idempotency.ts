import { createHmac, type KeyObject } from "node:crypto";
import { type Db, insertInto, type Prisma, type Tx } from "@gantry/db";
import { IDEMPOTENCY_KEY_DAYS } from "@gantry/requests";
import { asAccepted, type Link, request } from "@gantry/resources";
import type { Request as Input } from "express";
import type { Endpoint } from "../endpoint.js";
import { HttpError, invalid, notFound } from "../errors/errors.js";
import { isRecord } from "../input/input.js";
import type { ExtraFields } from "../plans/requested.js";
import type { RenderedReply } from "../reply/reply.js";

/** The form of a key: visible characters of ASCII. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/** True if an endpoint accepts keys: it changes something, and knows its caller or hides its secret from a repeated call. */
export function isKeyed({
  method,
  access,
  rate,
  reply,
}: Pick<Endpoint, "method" | "access" | "rate" | "reply">): boolean {
  return method !== "GET" && rate !== "report" && (access !== "anyone" || reply.secret !== undefined);
}

const RETENTION_MS = IDEMPOTENCY_KEY_DAYS * 24 * 60 * 60 * 1000;

/** A reply in the form in which it is sent: a status and the text of the body, if any. */
export interface SentReply {
  status: number;
  text: string | undefined;
  headers?: Record<string, string> | undefined;
  stream?: RenderedReply["stream"];
}

/** The key by which a user marks repeated inputs as one. */
export class IdempotencyKey {
  private constructor(
    private readonly userId: string,
    private readonly key: string,
    private readonly fingerprint: Buffer<ArrayBuffer>,
  ) {}

  /**
   * The key of an input, or undefined if the input has none.
   *
   * @param values what the input means: inputs with equal values count as one input, however they are written
   * @param fingerprintKey keys the fingerprint of the values, which may hold a password
   * @throws 422 if the key has an invalid form
   */
  static of(input: Input, values: unknown, userId: string, fingerprintKey: KeyObject): IdempotencyKey | undefined {
    const key = input.get("idempotency-key");
    if (key === undefined) return undefined;
    if (!IDEMPOTENCY_KEY.test(key)) throw invalid("Idempotency-Key", "must be 1 to 255 visible characters");
    const fingerprint = createHmac("sha256", fingerprintKey)
      .update(JSON.stringify(sorted(values)))
      .digest();
    return new IdempotencyKey(userId, key, Buffer.from(fingerprint));
  }

  /**
   * The first reply to this key, or undefined if the key was not used in the time for which keys are kept.
   *
   * @param sees whether the user still sees an account
   * @throws 422 if the key was used for another input, 404 if the user has left the account of the first reply
   */
  async recall(db: Db | Tx, link: Link, sees: (accountId: string) => boolean): Promise<SentReply | undefined> {
    const id = { userId_key: { userId: this.userId, key: this.key } };
    const row = await db.idempotencyKey.findUnique({ where: id });
    if (!row) return undefined;
    const oldest = new Date(Date.now() - RETENTION_MS);
    if (row.createdAt < oldest) {
      await db.idempotencyKey.deleteMany({ where: { userId: this.userId, key: this.key, createdAt: { lt: oldest } } });
      return undefined;
    }
    if (!this.fingerprint.equals(row.fingerprint)) {
      throw new HttpError(422, "idempotency_key_reused", [
        "this Idempotency-Key was already used with different parameters; use a new key",
      ]);
    }
    if (row.accountId !== null && !sees(row.accountId)) throw notFound();
    if (!row.requestId) return repeated(row.status ?? 200, (row.body as string | null) ?? undefined);
    if (row.body === null) return repeated(200, "{}");
    const first = asAccepted(await db.request.findUniqueOrThrow({ where: { id: row.requestId } }));
    if (!sees(first.accountId)) throw notFound();
    return repeated(200, JSON.stringify({ request: request.serialize(first, link), ...(row.body as ExtraFields) }));
  }

  /** The insert that stores a created Request under the key; without `extraFields` the reply hides the Request. */
  forRequest(requestId: string, accountId: string, extraFields: ExtraFields | undefined): Prisma.Sql {
    return insertInto("idempotency_keys", {
      ...this.row(),
      requestId,
      accountId,
      ...(extraFields && { body: extraFields }),
    });
  }

  /** Stores a reply under the key: its status and the text of its body. */
  async store(db: Tx, accountId: string | null, status: number, text: string | undefined): Promise<void> {
    await db.idempotencyKey.create({
      data: { ...this.row(), accountId, status, ...(text !== undefined && { body: text }) },
    });
  }

  private row() {
    return { userId: this.userId, key: this.key, fingerprint: this.fingerprint };
  }
}

function repeated(status: number, text: string | undefined): SentReply {
  return { status, text, headers: { "Idempotent-Replayed": "true" } };
}

/** The value with the keys of its objects in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, sorted(inner)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
