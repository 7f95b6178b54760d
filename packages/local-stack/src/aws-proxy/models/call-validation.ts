import type { AwsError } from "../aws-response.js";
import type { Call } from "../call.js";
import { checkInput } from "./constraints.js";
import type { Problem } from "./problem.js";
import { decodeQuery } from "./query-parameters.js";
import type { ServiceModel } from "./service-model.js";

const QUERY_PROTOCOLS = ["ec2", "query"];

/** Returns all problems of a call: service, action, API version and every parameter. */
export function validateCall({ service, action, headers, params, body }: Call, model?: ServiceModel): Problem[] {
  if (!model) return [{ kind: "action", path: "", reason: `is of the service "${service}", which has no model` }];
  const { protocol, apiVersion, targetPrefix } = model.metadata;
  const operation = Object.hasOwn(model.operations, action) ? model.operations[action] : undefined;
  if (!operation) return [{ kind: "action", path: "", reason: `is no operation of ${service}` }];
  const input = operation.input ?? { shape: "" };
  const known = operation.input ? model : { ...model, shapes: { "": { type: "structure" } } };
  if (protocol === "json") {
    const target = `${targetPrefix}.${action}`;
    if (headers["x-amz-target"] !== target) return [{ kind: "action", path: "", reason: `has the target ${target}` }];
    return checkInput(known, input, parseJson(body));
  }
  if (!QUERY_PROTOCOLS.includes(protocol)) {
    return [{ kind: "action", path: "", reason: `is of the protocol ${protocol}, which nothing here can check` }];
  }
  if (params.Version !== apiVersion) {
    return [{ kind: "version", path: "Version", reason: `must be ${apiVersion}`, value: params.Version ?? "" }];
  }
  const decoded = decodeQuery(known, input, params);
  return [...decoded.problems, ...checkInput(known, input, decoded.input)];
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString() || "{}");
  } catch {
    return body.toString();
  }
}

/** Returns the error with which the service refuses a call that has this problem. */
export function modelError({ service, action, headers }: Call, { kind, path, reason, value }: Problem): AwsError {
  const isJson = headers["x-amz-target"] !== undefined;
  if (kind === "action") {
    const code = isJson ? "UnknownOperationException" : "InvalidAction";
    return { code, message: `The action ${action} ${reason}.` };
  }
  if (kind === "version") {
    return { code: "InvalidAction", message: `Could not find operation ${action} for version ${value}: it ${reason}.` };
  }
  if (isJson) {
    const code = kind === "type" ? "SerializationException" : "ValidationException";
    return { code, message: constraintMessage(path, reason, value) };
  }
  if (kind === "unknown") return { code: "UnknownParameter", message: `The parameter ${path} is not recognized` };
  const namesParameters = service === "ec2" || service === "rds";
  if (kind === "missing" && namesParameters) {
    return { code: "MissingParameter", message: `The request must contain the parameter ${path}` };
  }
  if (namesParameters) {
    const message = `Value (${value}) for parameter ${path} is invalid. Member ${reason}`;
    return { code: "InvalidParameterValue", message };
  }
  return { code: "ValidationError", message: constraintMessage(path, reason, value) };
}

function constraintMessage(path: string, reason: string, value: string | undefined): string {
  const shown = value === undefined ? "null" : `'${value}'`;
  return `1 validation error detected: Value ${shown} at '${path}' failed to satisfy constraint: Member ${reason}`;
}
