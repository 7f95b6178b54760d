import supertest from "supertest";
import { createCaller } from "../support/api.js";
import { startApiTest } from "../support/api-test.js";
import { fillAccount } from "../support/fixtures.js";
import { sample } from "../support/sample.js";
import { accessOf, fillPath, paths } from "./document.js";

const { api, owner } = await startApiTest();
const fixtures = await fillAccount(api, owner, 1);
const staff = await createCaller(api, { staff: true, reason: "a test" });

const answers = Object.entries(paths).flatMap(([path, operations]) =>
  Object.entries(operations).flatMap(([method, { responses }]) =>
    Object.entries(responses)
      .filter(([status]) => status < "300")
      .flatMap(([, { content = {} }]) => Object.keys(content).map((type) => ({ path, method, type }))),
  ),
);

it("finds answers of every media type", () => {
  const types = new Set(answers.map(({ type }) => type));
  expect([...types].sort()).toEqual(["application/json", "application/x-ndjson", "text/event-stream"]);
});

const isRare = ({ type }: (typeof answers)[number]) => type !== "application/json";
const drawn = sample(
  answers.filter((each) => !isRare(each)),
  60,
  "media types",
);

const isRead = ({ method }: (typeof answers)[number]) => method === "get";
// One of the changes ends the caller's token: after it, every answer is 401.
const readsFirst = [...answers.filter(isRare), ...drawn].sort((a, b) => Number(isRead(b)) - Number(isRead(a)));

it.each(readsFirst)("$method $path can be asked for $type", async ({ path, method, type }) => {
  const caller = accessOf(path, method).staff ? staff : owner;
  const address = fillPath(path, fixtures);
  // A stream of events does not end by itself; its headers are enough.
  const head = (at: string) => supertest(api.app).head(at).set("Authorization", `Bearer ${caller.token}`);
  const send = type === "text/event-stream" ? head : caller[method as "get"];
  for (const accept of [type, `${type};q=0.9`, `image/png, ${type}`, type.replace(/\/.*/, "/*")]) {
    const { status, body, headers } = await send(address).set("Accept", accept);
    const refused = method === "get" ? [401, 406] : [406];
    expect([accept, refused.includes(status), body.code]).toEqual([accept, false, body.code]);
    if (status < 300 && headers["content-type"]) expect(headers["content-type"].split(";")[0]).toBe(type);
  }
  expect((await send(address).set("Accept", "image/png")).status).toBe(406);
});
