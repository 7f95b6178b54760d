import { openApi } from "./app.js";
import { exampleOf } from "./http/openapi/example.js";
import type { Schema } from "./http/openapi/schemas.js";
import { endpoints } from "./resources/index.js";

interface Document {
  paths: Record<string, Record<string, { requestBody?: { content: { "application/json": { schema: Schema } } } }>>;
}

const document = openApi() as Document;
const { paths } = document;
const isSame = (route: string, path: string) => route.replace(/:\w+/g, "{}") === path.replace(/\{\w+\}/g, "{}");

it("contains an example of each body that the endpoint accepts", () => {
  const wrong: unknown[] = [];
  let count = 0;
  for (const [path, operations] of Object.entries(paths))
    for (const [method, { requestBody }] of Object.entries(operations)) {
      if (!requestBody) continue;
      count++;
      const endpoint = endpoints.find((each) => each.method === method.toUpperCase() && isSame(each.path, path));
      const parsed = endpoint?.body?.safeParse(exampleOf(requestBody.content["application/json"].schema, document));
      const problems = parsed?.error?.issues.map(({ path: at, message }) => `${at.join(".")}: ${message}`);
      if (!parsed?.success) wrong.push({ operation: `${method} ${path}`, problems });
    }
  expect(wrong).toEqual([]);
  expect(count).toBeGreaterThan(40);
});

it("uses only URLs in examples that a GET operation serves", () => {
  const patterns = Object.entries(paths)
    .filter(([, operations]) => "get" in operations)
    .map(([path]) => new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`));
  const urls = [...new Set(JSON.stringify(document).match(/http:\/\/127\.0\.0\.1:3000[^"\\?>]*/g))];
  expect(urls.length).toBeGreaterThan(50);
  expect(urls.filter((url) => !patterns.some((pattern) => pattern.test(new URL(url).pathname)))).toEqual([]);
});
