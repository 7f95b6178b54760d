import { createCaller } from "../support/api.js";
import { startApiTest } from "../support/api-test.js";
import { fillAccount } from "../support/fixtures.js";
import { accessOf, fillPath, parametersOf, paths } from "./document.js";

/** Words that name no record, no type and no value. */
const WORDS = ["anything", "AWS", "constructor", "0", "null"];

const { api, owner } = await startApiTest();
const fixtures = await fillAccount(api, owner, 1);
const staff = await createCaller(api, { staff: true, reason: "a test" });

const reads = Object.entries(paths).flatMap(([path, { get }]) =>
  (get ? parametersOf(path) : []).map(({ name }) => ({ path, name })),
);

it.each(reads)("GET $path answers 404 to a word that is no $name", async ({ path, name }) => {
  const caller = accessOf(path, "get").staff ? staff : owner;
  const answers = WORDS.map(async (word) => {
    const { status, body } = await caller.get(fillPath(path.replace(`{${name}}`, word), fixtures));
    return [word, status, body.code];
  });
  expect(await Promise.all(answers)).toEqual(WORDS.map((word) => [word, 404, "not_found"]));
});
