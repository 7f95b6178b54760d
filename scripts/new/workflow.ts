import { globSync } from "node:fs";
import { dirname } from "node:path";
import { collectionOf, idTypeOf, modelOf, type ResourceType, requestTypes, resources } from "@gantry/resources";
import { camelCase } from "es-toolkit/string";
import { type Plan, read, render, root, title, withImport, withLine } from "./source.js";

const INDEX = "apps/worker/src/workflows/index.ts";
const ENDINGS = "test/contract/endings.test.ts";

/** Plans a workflow beside those of the same resource: its request type, its scenario, its retry and its ending. */
export function newWorkflow(type: string): Plan {
  if (!/^[a-z][a-z0-9]*(_[a-z0-9]+)+$/.test(type))
    throw new Error(
      `"${type}" is not a request type; use a verb and a resource in snake_case, such as "enable_network_dns"`,
    );
  if (Object.hasOwn(requestTypes, type)) throw new Error(`the request type ${type} already exists`);
  const resource = resourceOf(type);
  if (!resource)
    throw new Error(`"${type}" does not contain a resource; use one of ${Object.keys(resources).join(", ")}`);
  const { workflow, definitions, scenarios, retries } = siblingsOf(resource);

  const file = `${dirname(workflow)}/${kebab(type)}.ts`;
  const id = idTypeOf(resource) === "integer" ? "Number(resourceId)" : "resourceId";
  const values = { type, resource, id, camel: camelCase(type), model: modelOf(resource), title: title(type) };
  const imported = `import { ${values.camel} } from "./${file.slice(dirname(INDEX).length + 1, -3)}.js";\n${read(INDEX)}`;
  return {
    files: {
      [file]: render("workflow", values),
      [definitions]: withLine(
        definitions,
        withImport(read(definitions), "change", "../declarations/request-type.js"),
        /^\} as const satisfies RequestTypeDefinitions/m,
        render("workflow.type", values).trimEnd(),
      ),
      [INDEX]: withLine(INDEX, imported, /(?<=const byType[\s\S]*?\n)\};/, `  ${type}: ${values.camel},`),
      [scenarios]: withLine(
        scenarios,
        read(scenarios),
        /^\} satisfies Scenarios/m,
        render("workflow.scenario", values).trimEnd(),
      ),
      [retries]: withLine(
        retries,
        withImport(read(retries), "noFurtherRules", "../retry-rule.js"),
        /^\} satisfies RetryRules/m,
        `  ${type}: noFurtherRules,`,
      ),
    },
    next: [
      `Write the stages in ${file}, and list them in ${definitions}.`,
      `In ${scenarios}, describe how a test starts it and what it changes; then run npm test -- ${dirname(scenarios)}`,
      `In ${ENDINGS}, start it through an endpoint: npm run new -- endpoint ${collectionOf(resource)}/ACT`,
      `In ${retries}, list what its endpoint requires, so that a retry requires it too.`,
      "Run npm run policies if it makes a new call to AWS.",
      "Add a line to CHANGELOG.md.",
    ],
  };
}

/** The resource with the longest name of those that a request type contains. */
function resourceOf(type: string): ResourceType | undefined {
  return (Object.keys(resources) as ResourceType[])
    .filter((resource) => `_${type}_`.includes(`_${resource}_`))
    .sort((a, b) => b.length - a.length)[0];
}

/** The files of a workflow on the same resource: where the new one belongs. */
function siblingsOf(resource: ResourceType): {
  workflow: string;
  definitions: string;
  scenarios: string;
  retries: string;
} {
  for (const type of Object.keys(requestTypes)) {
    if (resourceOf(type) !== resource) continue;
    const [workflow] = globSync(`apps/worker/src/workflows/*/${kebab(type)}.ts`, { cwd: root });
    const [scenarios] = workflow ? globSync(`${dirname(workflow)}/*.scenarios.ts`, { cwd: root }) : [];
    const [definitions, retries] = [
      "packages/resources/src/*/*.requests.ts",
      "apps/api/src/resources/*/*.retries.ts",
    ].map((pattern) => globSync(pattern, { cwd: root }).find((file) => read(file).includes(`\n  ${type}: `)));
    if (workflow && scenarios && definitions && retries) return { workflow, scenarios, definitions, retries };
  }
  throw new Error(`the resource ${resource} has no workflow yet; write the first one as CONTRIBUTING.md describes`);
}

function kebab(type: string): string {
  return type.replaceAll("_", "-");
}
