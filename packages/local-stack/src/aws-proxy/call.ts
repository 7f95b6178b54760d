import type { IncomingHttpHeaders } from "node:http";

/** One call to AWS, parsed from its HTTP request. */
export interface Call {
  service: string;
  region: string;
  accessKeyId: string;
  action: string;
  /** The parameters as the Query protocol writes them: `Filter.1.Value.1`. */
  params: Record<string, string>;
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

const CREDENTIAL = /Credential=([^/,]+)\/\d+\/([^/]+)\/([^/]+)\//;

/** Parses the caller and the action from the signature, the target header and the form. */
export function parseCall(method: string, path: string, headers: IncomingHttpHeaders, body: Buffer): Call {
  const [, accessKeyId = "", region = "", service = ""] = CREDENTIAL.exec(headers.authorization ?? "") ?? [];
  const target = headers["x-amz-target"];
  const params = target ? readJson(body) : Object.fromEntries(new URLSearchParams(body.toString()));
  const action = typeof target === "string" ? (target.split(".").at(-1) ?? "") : (params.Action ?? "");
  return { service, region, accessKeyId, action, params, method, path, headers, body };
}

/** Returns the values of a numbered list: `listParam(params, "InstanceId")` reads `InstanceId.1`, `InstanceId.2`, … */
export function listParam(params: Record<string, string>, name: string): string[] {
  const values: string[] = [];
  for (let n = 1; params[`${name}.${n}`] !== undefined; n += 1) values.push(params[`${name}.${n}`] ?? "");
  return values;
}

/** Replaces a call's parameters in the Query protocol. */
export function withParams(call: Call, params: Record<string, string>): Call {
  const body = Buffer.from(new URLSearchParams(params).toString());
  return { ...call, params, body, headers: { ...call.headers, "content-length": String(body.length) } };
}

function readJson(body: Buffer): Record<string, string> {
  try {
    const parsed = JSON.parse(body.toString() || "{}") as Record<string, unknown>;
    return Object.fromEntries(Object.entries(parsed).map(([name, value]) => [name, asText(value)]));
  } catch {
    return {};
  }
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
