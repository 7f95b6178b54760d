import { createHash, createHmac } from "node:crypto";
import { type Db, insertInto, type Prisma, type Tx } from "@gantry/db";
import type { Link } from "@gantry/records";
import { request } from "@gantry/records";
import { asAccepted } from "@gantry/requests";
import type { Request as Input } from "express";
import { HttpError, invalid, notFound } from "./errors.js";
import type { RenderedReply } from "./reply.js";
import type { ExtraFields } from "./request-opener.js";

/** The form of a key: visible characters of ASCII. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

const RETENTION_MS = 30 * 24 * 60 * 60 * 1000;

/** A reply as it is sent: a status and the text of the body, if any. */
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
    /** What versions without a key of fingerprints stored. */
    private readonly oldFingerprint: Buffer<ArrayBuffer>,
  ) {}

  /**
   * The key of an input, or undefined where the input carries none.
   *
   * @param fingerprintKey keys the fingerprint of the body, which may hold a password
   * @throws 422 where the key has another form
   */
  static of(input: Input, userId: string, fingerprintKey: Uint8Array): IdempotencyKey | undefined {
    const key = input.get("idempotency-key");
    if (key === undefined) return undefined;
    if (!IDEMPOTENCY_KEY.test(key)) throw invalid("Idempotency-Key", "must be 1 to 255 visible characters");
    const content = [input.method, input.originalUrl, JSON.stringify(input.body ?? {})].join("\n");
    const fingerprint = Buffer.from(createHmac("sha256", fingerprintKey).update(content).digest());
    return new IdempotencyKey(userId, key, fingerprint, Buffer.from(createHash("sha256").update(content).digest()));
  }

  /**
   * The first reply to this key, or undefined where the key was not used in the last 30 days.
   *
   * @param sees whether the user still sees an account
   * @throws 422 where the key was used for another input, 404 where the user has left the account of the first reply
   */
  async recall(db: Db, link: Link, sees: (accountId: string) => boolean): Promise<SentReply | undefined> {
    const id = { userId_key: { userId: this.userId, key: this.key } };
    const row = await db.idempotencyKey.findUnique({ where: id });
    if (!row) return undefined;
    const oldest = new Date(Date.now() - RETENTION_MS);
    if (row.createdAt < oldest) {
      await db.idempotencyKey.deleteMany({ where: { userId: this.userId, key: this.key, createdAt: { lt: oldest } } });
      return undefined;
    }
    if (![this.fingerprint, this.oldFingerprint].some((known) => known.equals(row.fingerprint))) {
      throw new HttpError(422, "idempotency_key_reused", ["this Idempotency-Key was used for another request"]);
    }
    if (row.accountId !== null && !sees(row.accountId)) throw notFound();
    if (!row.requestId) return { status: row.status ?? 200, text: (row.body as string | null) ?? undefined };
    if (row.body === null) return { status: 200, text: "{}" };
    const first = asAccepted(await db.request.findUniqueOrThrow({ where: { id: row.requestId } }));
    if (!sees(first.accountId)) throw notFound();
    return {
      status: 200,
      text: JSON.stringify({ request: request.serialize(first, link), ...(row.body as ExtraFields) }),
    };
  }

  /** The insert that stores an opened Request under the key; without `extraFields` the reply hides the Request. */
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
