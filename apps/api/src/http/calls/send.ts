import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Response } from "express";
import { setHeaders } from "../server/headers.js";
import type { SentReply } from "./idempotency.js";

/** The time after which a stream is cut off if its reader accepts nothing. */
const READER_SECONDS = 30;

/** Sends a reply; a stream ends early if its reader accepts nothing for `readerSeconds` to twice that time. */
export async function send(
  res: Response,
  { status, text, headers, stream }: SentReply,
  readerSeconds = READER_SECONDS,
): Promise<void> {
  if (headers) setHeaders(res, headers);
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
