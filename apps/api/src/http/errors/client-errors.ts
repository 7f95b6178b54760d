import { type Server, STATUS_CODES } from "node:http";
import { traceIdFrom } from "@gantry/runtime";
import { version } from "../version.js";
import type { ErrorCode } from "./errors.js";

const ERRORS: Record<string, [status: number, code: ErrorCode, sentence: string]> = {
  HPE_HEADER_OVERFLOW: [431, "too_large", "the request line and headers are larger than 16 KiB"],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "timeout", "the request did not arrive in time"],
};

/** Answers input that is not HTTP, which reaches no handler, with the same problem body as every other error. */
export function handleClientErrors(server: Server): void {
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
    const [status, code, sentence] = ERRORS[error.code ?? ""] ?? [400, "bad_request", "the request could not be read"];
    const body = JSON.stringify({ errors: [sentence], code, details: [], trace_id: traceIdFrom(undefined) });
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      "Content-Type: application/json; charset=utf-8",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "Cache-Control: no-store",
      `Gantry-Version: ${version}`,
      "Connection: close",
    ];
    socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  });
}
