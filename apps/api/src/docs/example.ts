import { STATUS_CODES } from "node:http";
import { exampleOf } from "../http/openapi/example.js";
import type { Parameter } from "../http/openapi/schemas.js";
import type { Answer, Content, Description, Operation } from "./description.js";

/** A call of an operation, as a shell runs it. */
export function curl(
  method: string,
  path: string,
  { security, requestBody }: Operation,
  parameters: Parameter[],
  description: Description,
): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) =>
    String(parameters.find((each) => each.name === name)?.example),
  );
  const schema = requestBody?.content["application/json"]?.schema;
  const body = schema && exampleOf(schema, description);
  const lines = [
    `curl -sS --fail-with-body${method === "GET" || (method === "POST" && body) ? "" : ` -X ${method}`} "$GANTRY_URL${filled}"`,
    ...(security === undefined ? [`-H "Authorization: Bearer $GANTRY_TOKEN"`] : []),
    ...(body === undefined
      ? []
      : [`-H "Content-Type: application/json"`, `-d '${pretty(body).replaceAll("'", "'\\''")}'`]),
  ];
  return lines.join(" \\\n  ");
}

/** The status and the body of an operation's success. */
export function answerOf({ responses }: Operation, description: Description): { status: string; body?: string } {
  const [status = "", answer] = Object.entries(responses).find(([each]) => each.startsWith("2")) ?? [];
  const line = `${status} ${STATUS_CODES[status] ?? ""}`;
  const [mediaType, content] = contentOf(
    description.components.responses[answer?.$ref?.split("/").at(-1) ?? ""] ?? answer,
  );
  if (!content) return { status: line };
  const example = exampleOf(content.schema, description);
  return { status: line, body: mediaType.includes("ndjson") ? JSON.stringify(example) : pretty(example) };
}

function contentOf(answer: Answer | undefined): [string, Content | undefined] {
  return Object.entries(answer?.content ?? {})[0] ?? ["", undefined];
}

const pretty = (value: unknown) => JSON.stringify(value, null, 2);
