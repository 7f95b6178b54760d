import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type Plan, read, render, root, title, withImport, withLine } from "./source.js";

const RESOURCES = "apps/api/src/resources";
/** The declaration of the endpoint that shows one record: its path, its parameter, its reply and its model. */
const SHOW =
  /showRecord\(\s*"GET (?<path>\/[\w-]+)\/:(?<parameter>\w+)",\s*"[^"]*",\s*(?<reply>one\(\w+\)),\s*"(?<model>\w+)"/;

/** Plans an act on one record: an endpoint beside the one that shows the record. */
export function newEndpoint(name: string): Plan {
  const [, resources = "", act = ""] = /^([a-z][a-z-]*)\/([a-z][a-z0-9]*(?:-[a-z0-9]+)*)$/.exec(name) ?? [];
  if (!act)
    throw new Error(
      `"${name}" is not the name of an endpoint; use RESOURCES/ACT in kebab-case, such as "networks/enable-dns"`,
    );
  const folder = `${RESOURCES}/${resources}`;
  if (!existsSync(join(root, folder)))
    throw new Error(`the folder ${folder} does not exist; create it with npm run new -- resource`);

  const files = readdirSync(join(root, folder)).map((file) => `${folder}/${file}`);
  const endpoints = files.filter((file) => file.endsWith(".endpoints.ts"));
  const shows = endpoints.map((file) => ({ file, shown: SHOW.exec(read(file))?.groups })).find(({ shown }) => shown);
  if (!shows?.shown) throw new Error(`no file in ${folder} declares an endpoint with showRecord`);
  const { file, shown } = shows;
  const values = { ...shown, act, summary: title(act) };
  const route = `POST ${shown.path}/:${shown.parameter}/${act}`;
  const declared = endpoints.find((each) => read(each).includes(`"${route}"`));
  if (declared) throw new Error(`${declared} declares ${route} already`);

  const text = withImport(read(file), "endpoint", "../../http/endpoint.js");
  return {
    files: { [file]: withLine(file, text, /(?<=Endpoints = \[[\s\S]*?\n)\];/, `\n${render("endpoint", values)}`) },
    next: [
      `Write what ${route} does: its summary, input, reply and handler in ${file}.`,
      "npm run openapi",
      "npm test -- test/contract/isolation",
      "Write its test, and add a line to CHANGELOG.md.",
    ],
  };
}
