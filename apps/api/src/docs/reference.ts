import type { Parameter } from "../http/openapi/schemas.js";
import type { Answer, Description, Operation } from "./description.js";
import { answerOf, curl } from "./example.js";
import { codeBlock, escaped, sentence } from "./html.js";

interface Entry {
  method: string;
  path: string;
  operation: Operation;
}

/** The operations of the API, grouped by their tags, with a box to filter them. */
export function reference(description: Description): string {
  const entries = Object.entries(description.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const groups = description.tags.map(({ name }) => {
    const own = entries.filter(({ operation }) => operation.tags.includes(name));
    const title = name.replaceAll(/[-_]/g, " ");
    return `<section class="group" aria-labelledby="group-${name}"><h3 id="group-${name}">${title}</h3>
${own.map((entry) => operationOf(entry, description)).join("\n")}</section>`;
  });
  return `<h2 id="operations">Operations</h2>
<form class="filter" role="search" hidden>
  <label for="filter">Filter by path, name or summary <kbd>/</kbd></label>
  <input id="filter" type="search" autocomplete="off" spellcheck="false" aria-describedby="count" />
  <p id="count" role="status">${entries.length} operations</p>
</form>
${refusalsOfAll(description)}
<p class="nothing" hidden>No operation matches. Every word must occur in its path, name or summary.
  <button type="button" class="clear">Show all operations</button></p>
${groups.join("\n")}`;
}

function operationOf({ method, path, operation }: Entry, description: Description): string {
  const { operationId, summary } = operation;
  const parameters = (operation.parameters ?? []).map((each) => parameterOf(each, description));
  const answer = answerOf(operation, description);
  const words = `${method} ${path} ${operationId} ${summary}`.toLowerCase();
  return `<details class="operation" id="${operationId}" data-words="${escaped(words)}">
<summary><span class="method ${method.toLowerCase()}">${method}</span> <code class="path">${path.replace(/\//g, "/<wbr>")}</code> <span class="summary">${sentence(summary)}</span></summary>
<div class="body"><p>${sentence(operation.description)} <a class="name" href="#${operationId}">${operationId}</a></p>
${codeBlock(curl(method, path, operation, parameters, description), `Call of ${operationId}`)}
<p class="status">Returns ${answer.status}${answer.body === undefined ? ", without a body." : ":"}</p>
${answer.body === undefined ? "" : codeBlock(answer.body, `Response of ${operationId}`)}
${parametersTable(parameters)}
${refusals(operation, description)}</div></details>`;
}

function parameterOf(parameter: Parameter, { components }: Description): Parameter {
  return (parameter.$ref && components.parameters[parameter.$ref.split("/").at(-1) ?? ""]) || parameter;
}

function parametersTable(parameters: Parameter[]): string {
  if (parameters.length === 0) return "";
  const rows = parameters.map(
    ({ name, in: place, description = "", example }) =>
      `<tr><td><code>${escaped(name)}</code></td><td>${place}</td><td>${sentence(description)}</td><td>${
        example === undefined ? "" : `<code>${escaped([example].flat().join(", "))}</code>`
      }</td></tr>`,
  );
  return `<div class="table" tabindex="0" role="region" aria-label="Parameters"><table>
<thead><tr><th>parameter</th><th>in</th><th>meaning</th><th>example</th></tr></thead>
<tbody>${rows.join("")}</tbody></table></div>`;
}

function refusals({ responses }: Operation, description: Description): string {
  const own = Object.entries(responses).filter(([status]) => /^[45]\d\d$/.test(status));
  const rows = own.map(([status, answer]) => refusal(status, referred(answer, description).description));
  return `<details class="refusals"><summary>Errors</summary><ul>${rows.join("")}
<li><a href="#refusals">Errors of every operation</a></li></ul></details>`;
}

/** The refusals that every operation may return. */
function refusalsOfAll(description: Description): string {
  const answers = ["Refusal4XX", "Refusal"].map((name) => description.components.responses[name]);
  const meanings = answers.flatMap((answer) => Object.entries(answer?.["x-statuses"] ?? {}));
  return `<details class="refusals" id="refusals"><summary>Errors of every operation</summary>
<ul>${meanings.map(([status, meaning]) => refusal(status, meaning)).join("")}</ul></details>`;
}

const refusal = (status: string, meaning = "") => `<li><a href="/docs/errors">${status}</a> ${sentence(meaning)}</li>`;

function referred(answer: Answer, { components }: Description): Answer {
  return components.responses[answer.$ref?.split("/").at(-1) ?? ""] ?? answer;
}
