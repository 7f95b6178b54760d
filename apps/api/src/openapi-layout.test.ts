import { openApi } from "./app.js";
import { layout } from "./openapi-layout.js";

const LIMIT = 567_000;

const text = layout(openApi());

it("is at most 567,000 bytes long, with the marks and fields that clients are generated from", () => {
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(LIMIT);
});

it("writes the whole document", () => {
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(openApi())));
});

it("writes each member of a longer value on its own line, so that diffs show only what changed", () => {
  const of = (names: string[]) => layout({ paths: { "/servers": { get: { parameters: names } } } }).split("\n");
  const names = Array.from({ length: 20 }, (_, index) => `name ${index}`);
  const added = of([...names, "another", "the last"]).filter((line) => !of([...names, "the last"]).includes(line));
  expect(added).toEqual(['"another",']);
});
