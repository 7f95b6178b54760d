import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Response } from "express";
import { limitKeyOf } from "../auth/caller.js";
import type { Answer, Call } from "./call.js";
import type { SentReply } from "./idempotency.js";

/** The time after which a stream is cut off if its reader accepts nothing. */
const READER_SECONDS = 30;

/** Sends the answer to a call. A call that waits, or reads a stream, has one of its caller's places until it is sent. */
export function sendingInPlace(answer: Answer): (call: Call, res: Response) => Promise<void> {
  return async (call, res) => {
    const { appContext, identity, input, query } = call;
    const takePlace = () => appContext.waiting.take(identity ? limitKeyOf(identity) : (input.ip ?? ""));
    let freePlace = Number(query.wait ?? 0) > 0 ? takePlace() : undefined;
    try {
      const reply = await answer(call);
      if (reply.stream) freePlace ??= takePlace();
      await send(res, reply);
    } finally {
      freePlace?.();
    }
  };
}

/** Sends a reply; a stream ends early if its reader accepts nothing for `readerSeconds` to twice that time. */
export async function send(
  res: Response,
  { status, text, headers, stream }: SentReply,
  readerSeconds = READER_SECONDS,
): Promise<void> {
  for (const name in headers) res.setHeader(name, headers[name] ?? "");
  res.statusCode = status;
  if (stream) {
    res.setHeader("Content-Type", stream.mediaType);
    if (res.req.method === "HEAD") return void res.end();
    res.setTimeout(readerSeconds * 1000, () => res.destroy());
    return pipeline(Readable.from(stream.chunks), res).catch(ignoreLostReader);
  }
  if (text !== undefined) res.setHeader("Content-Type", "application/json; charset=utf-8");
  res.end(text);
}

function ignoreLostReader(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
}
