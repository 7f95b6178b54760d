// Compares the type of the rows of every $queryRaw with the columns that PostgreSQL describes for its statement. The texts
// of the statements are those that the last run of the tests has recorded.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { applyMigrations } from "@gantry/db";
import { startPostgres } from "@gantry/local-stack";
import { migrations } from "@gantry/test/support/start-stack";
import pg from "pg";
import { API, type Project } from "typescript/unstable/sync";
import { type Column, statementDescriber } from "./columns.js";
import { differences, type Query, typedQueries } from "./row-types.js";

/** What test/support/jest/record-statements.mjs writes. */
interface RecordedStatement {
  path: string;
  line: number;
  text: string;
  at: number;
}

const root = join(import.meta.dirname, "../..");
const folder = join(root, ".gantry/statements");

const recorded = readRecording();
const typescript = new API({ cwd: root });
const project = typescript.updateSnapshot({ openProjects: [join(root, "tsconfig.json")] }).getProjects()[0] as Project;
const queries = typedQueries(project);
const problems = await onDatabase(async (describe) => {
  const found = [];
  for (const query of queries)
    for (const problem of await problemsOf(query, describe)) found.push(`${query.path}:${query.firstLine} ${problem}`);
  return found;
});
typescript.close();
for (const problem of problems) console.log(problem);
console.log(`${queries.length} statements, ${problems.length} differences`);
process.exitCode = problems.length > 0 ? 1 : 0;

function readRecording(): RecordedStatement[] {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  if (files.length === 0) throw new Error("No statements are recorded; run `npm test` first.");
  const lines = files.flatMap((file) => readFileSync(join(folder, file), "utf8").match(/.+/g) ?? []);
  return lines.map((line) => JSON.parse(line));
}

async function problemsOf(query: Query, describe: (text: string) => Promise<Column[]>): Promise<Set<string>> {
  const texts = textsOf(query);
  if (texts.size === 0) return new Set(["no test has run this statement since its file changed"]);
  const problems = new Set<string>();
  for (const text of texts)
    try {
      for (const each of differences(project, query.row, await describe(text))) problems.add(each);
    } catch (error) {
      problems.add((error as Error).message);
    }
  return problems;
}

/** The lines of a record that is older than its file may have moved. */
function textsOf({ path, firstLine, lastLine }: Query): Set<string> {
  const changedAt = statSync(join(root, path)).mtimeMs;
  const own = recorded.filter(
    (each) => each.path === path && each.line >= firstLine && each.line <= lastLine && each.at > changedAt,
  );
  return new Set(own.map(({ text }) => text));
}

/** Runs `act` on a migrated database, which ends with it. */
async function onDatabase<T>(act: (describe: (text: string) => Promise<Column[]>) => Promise<T>): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), "gantry-statements-"));
  const postgres = await startPostgres({ folder: home, environment: process.env, fsync: false });
  const client = new pg.Client(postgres.url);
  try {
    await applyMigrations(postgres.url, migrations);
    await client.connect();
    return await act(await statementDescriber(client));
  } finally {
    await client.end();
    await postgres.stop();
    rmSync(home, { recursive: true, force: true });
  }
}
