import { fieldOf, type Model, tableOf } from "@gantry/db";
import { exampleId } from "@gantry/resources";
import { upperFirst } from "es-toolkit/string";
import { exampleOf } from "./example.js";
import { headersOf, NOT_MODIFIED, PAGE, REFUSALS_OF_ALL, refusalName } from "./refusals.js";
import { allowNulls, type Document, type Operation, type Parameter, simplified } from "./schemas.js";

/** Names the body, declares headers and refusals, and adds examples. */
export function complete(method: string, operation: Operation, document: Document): void {
  const { parameters = [], requestBody, responses, operationId } = operation;
  operation.parameters = parameters.map((parameter) => withExample(simplified(parameter)));
  for (const content of Object.values(requestBody?.content ?? {})) {
    allowNulls(content.schema);
    const both = operationId.replace(/^patch/, "update");
    const name = `${upperFirst(both)}Input`;
    document.components.schemas[name] = content.schema;
    content.schema = { $ref: `#/components/schemas/${name}` };
  }
  const isPaged = parameters.some(({ name }) => name === "per_page");
  if (isPaged) for (const response of Object.values(responses)) response.headers = headersOf(PAGE);
  if (responses["304"]) {
    Object.assign(responses["200"] ?? {}, { headers: headersOf(["ETag"]) });
    responses["304"] = { $ref: `#/components/responses/${NOT_MODIFIED}` };
  }
  const own = Object.keys(responses).filter((status) => status >= "400");
  for (const status of [...own, ...(method === "get" ? [] : ["409"]), "503", ...Object.keys(REFUSALS_OF_ALL)])
    responses[status] = { $ref: `#/components/responses/${refusalName(status)}` };
}

function withExample(parameter: Parameter): Parameter {
  const { name, description = `Only records with one of these values of \`${name}\`` } = parameter;
  if (parameter.in !== "path") {
    const { examples, ...schema } = parameter.schema;
    return { ...parameter, schema, description, example: examples?.[0] ?? exampleOf(parameter.schema, {}) };
  }
  const model = fieldOf(name.replace(/_id$/, "")) as Model;
  const words = name
    .replace(/_id$/, "")
    .replaceAll("_", " ")
    .replace(/(?=[A-Z])/g, " ")
    .toLowerCase();
  return { ...parameter, description: `The id of the ${words}`, example: exampleId(tableOf(model)) };
}
