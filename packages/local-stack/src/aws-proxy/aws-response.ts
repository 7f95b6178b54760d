import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { Call } from "./call.js";

export interface AwsResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** The error that AWS rejects a call with. */
export interface AwsError {
  code: string;
  message: string;
  /** HTTP status; 400 by default. */
  status?: number;
}

const NAMESPACES: Record<string, string> = {
  autoscaling: "http://autoscaling.amazonaws.com/doc/2011-01-01/",
  iam: "https://iam.amazonaws.com/doc/2010-05-08/",
  rds: "http://rds.amazonaws.com/doc/2014-10-31/",
  sts: "https://sts.amazonaws.com/doc/2011-06-15/",
};
const ESCAPES: Record<string, string> = { "<": "&lt;", ">": "&gt;", "&": "&amp;", '"': "&quot;" };

/** Builds an error in the call's protocol: JSON 1.1 with a target header, EC2's XML, else the Query services' XML. */
export function errorResponse(call: Call, { code, message, status = 400 }: AwsError): AwsResponse {
  const requestId = randomUUID();
  if (call.headers["x-amz-target"]) {
    const type = "application/x-amz-json-1.1";
    return textResponse(status, type, JSON.stringify({ __type: code, message }));
  }
  const detail = `<Code>${escapeXml(code)}</Code><Message>${escapeXml(message)}</Message>`;
  if (call.service === "ec2") {
    const xml = `<Response><Errors><Error>${detail}</Error></Errors><RequestID>${requestId}</RequestID></Response>`;
    return textResponse(status, "text/xml;charset=UTF-8", `<?xml version="1.0" encoding="UTF-8"?>\n${xml}`);
  }
  const type = status >= 500 ? "Receiver" : "Sender";
  const error = `<Error><Type>${type}</Type>${detail}</Error><RequestId>${requestId}</RequestId>`;
  const xml = `<ErrorResponse xmlns="${NAMESPACES[call.service] ?? ""}">${error}</ErrorResponse>`;
  return textResponse(status, "text/xml", xml);
}

/** Returns the error code of a response in any of the protocols. */
export function errorCodeOf({ status, body }: AwsResponse): string | undefined {
  if (status < 400) return undefined;
  const text = body.toString();
  const json = /"__type"\s*:\s*"(?:[^"#]*#)?([^"]+)"/.exec(text)?.[1];
  return json ?? /<Code>([^<]*)<\/Code>/.exec(text)?.[1];
}

/** Replaces a response's body. */
export function withBody(response: AwsResponse, text: string): AwsResponse {
  const body = Buffer.from(text);
  return { ...response, headers: { ...response.headers, "content-length": String(body.length) }, body };
}

export function textResponse(status: number, type: string, text: string): AwsResponse {
  const body = Buffer.from(text);
  return { status, headers: { "content-type": type, "content-length": String(body.length) }, body };
}

function escapeXml(text: string): string {
  return text.replace(/[<>&"]/g, (char) => ESCAPES[char] ?? char);
}

export function sendResponse(response: ServerResponse, { status, headers, body }: AwsResponse): void {
  response.writeHead(status, headers);
  response.end(body);
}
