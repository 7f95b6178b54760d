import { startTestApi } from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";
import supertest from "supertest";
import { version } from "../../http/version.js";
import { numberOf } from "./version.endpoints.js";

const { api, owner } = await startApiTest({ settings: { ANONYMOUS_RATE_LIMIT_PER_MINUTE: "100000" } });

it("shows its version and the ways to sign in without a token", async () => {
  const { status, body } = await supertest(api.app).get("/version");
  expect([status, body.version]).toEqual([
    200,
    {
      version,
      api: numberOf(version),
      sign_in: [{ type: "password", name: null, url: expect.stringMatching(/\/tokens$/) }],
    },
  ]);
});

it("names the issuer at which people sign in with a browser", async () => {
  const issued = await startTestApi({
    BASE_URL: "http://gantry.test",
    OIDC_ISSUER: "https://id.example.com/realms/main",
    OIDC_CLIENT_ID: "gantry",
  });
  try {
    const { body } = await supertest(issued.app).get("/version");
    expect(body.version.sign_in).toContainEqual({
      type: "issuer",
      name: "id.example.com",
      url: "http://gantry.test/sign-in",
    });
  } finally {
    await issued.close();
  }
});

it("numbers versions in their order", () => {
  const versions = ["0.2.0", "0.2.11", "0.10.0", "1.0.0", "1.0.1-rc.1"];
  expect(versions.map(numberOf)).toEqual([2000, 2011, 10_000, 1_000_000, 1_000_001]);
});

it.each([
  ["a record", 200, () => owner.get("/accounts")],
  ["a call without a token", 401, () => supertest(api.app).get("/accounts")],
  ["an unknown path", 404, () => supertest(api.app).get("/nothing")],
  ["another method", 405, () => supertest(api.app).put("/version")],
  ["a body that is no JSON", 400, () => supertest(api.app).post("/tokens").type("json").send("{")],
  ["the health", 200, () => supertest(api.app).get("/health/live")],
  ["the pages of the documentation", 200, () => supertest(api.app).get("/docs")],
])("has the header Gantry-Version in the response to %s", async (_name, status, call) => {
  const answer = await call();
  expect([answer.status, answer.headers["gantry-version"]]).toEqual([status, version]);
});
