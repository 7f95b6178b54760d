import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { camelCase, pascalCase } from "es-toolkit/string";
import { pluralize } from "inflection";
import { type Plan, read, render, requireIdentifier, root, title, withLine } from "./source.js";

const ACCOUNTS = "prisma/models/account.prisma";
const RECORDS = "packages/resources/src/records.ts";
const INDEX = "apps/api/src/resources/index.ts";
const FIXTURES = "test/support/fixtures.ts";

/** Plans a resource of an account: its model, record and endpoints, and rows for the test that keeps accounts apart. */
export function newResource(name: string): Plan {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
    throw new Error(
      `"${name}" is not the name of a resource; use a singular noun in kebab-case, such as "support-contact"`,
    );
  requireIdentifier(name);
  const names = namesOf(name);
  const folder = `apps/api/src/resources/${names.plural}`;
  const models = readdirSync(join(root, "prisma/models")).map((file) => read(`prisma/models/${file}`));
  const model = new RegExp(`^(model|enum) ${names.pascal} `, "m");
  if (existsSync(join(root, folder))) throw new Error(`${folder} already exists`);
  if (models.some((text) => model.test(text))) throw new Error(`prisma/models already has a ${names.pascal}`);

  const index = read(INDEX);
  const imported = `import { ${names.camel}Endpoints } from "./${names.plural}/${name}.endpoints.js";\n${index}`;
  const rows = withLine(FIXTURES, read(FIXTURES), /^ {2}return \{\n {4}accounts:/m, render("fixture", names));
  return {
    files: {
      [`prisma/models/${name}.prisma`]: render("resource.prisma", names),
      [ACCOUNTS]: withLine(
        ACCOUNTS,
        read(ACCOUNTS),
        /\n {2}@@map\("accounts"\)/,
        `  ${names.camelPlural} ${names.pascal}[]`,
      ),
      [`packages/resources/src/${names.plural}/${name}.record.ts`]: render("record", names),
      [RECORDS]: `${read(RECORDS)}export * from "./${names.plural}/${name}.record.js";\n`,
      [`${folder}/${name}.endpoints.ts`]: render("resource.endpoints", names),
      [INDEX]: withLine(INDEX, imported, /^ {2}\.\.\.unmanagedEndpoints,/m, `  ...${names.camel}Endpoints,\n`),
      [FIXTURES]: withLine(
        FIXTURES,
        rows,
        /(?<=^ {2}return \{\n) {4}accounts:/m,
        `    ${JSON.stringify(names.plural)}: ${names.camel}Row?.id ?? "",`,
      ),
    },
    next: [
      `Add the fields to the model in prisma/models/${name}.prisma, to the record and to the endpoints.`,
      `npm run migration -- ${names.snakePlural}`,
      "npm run openapi",
      "npm test -- test/contract/isolation",
      "Test what is special about it, and add a line to CHANGELOG.md.",
    ],
  };
}

function namesOf(name: string) {
  const plural = pluralize(name);
  const snake = name.replaceAll("-", "_");
  return {
    name,
    plural,
    snake,
    snakePlural: plural.replaceAll("-", "_"),
    camel: camelCase(name),
    camelPlural: camelCase(plural),
    pascal: pascalCase(name),
    words: title(name).toLowerCase(),
    wordsPlural: title(plural).toLowerCase(),
  };
}
