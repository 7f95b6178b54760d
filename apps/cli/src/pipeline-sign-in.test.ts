import { statSync } from "node:fs";
import { join } from "node:path";
import { createCaller, startTestApi, type TestApi, type TestCaller } from "@gantry/test/support/api";
import { bundleCommand, type TestCommand } from "@gantry/test/support/gantry-command";
import { startPipelineIssuer } from "@gantry/test/support/pipeline-issuer";
import { openPort } from "@gantry/test/support/port";

let gantry: TestCommand;
let port: Awaited<ReturnType<typeof openPort>>;
let api: TestApi;
let owner: TestCaller;
let issuer: Awaited<ReturnType<typeof startPipelineIssuer>>;
let serviceToken: string;

beforeAll(async () => {
  [port, issuer, gantry] = await Promise.all([openPort(), startPipelineIssuer(), bundleCommand()]);
  api = await startTestApi({ BASE_URL: port.url, TRUSTED_ISSUERS: issuer.url });
  port.serve(api.app);
  owner = await createCaller(api);
  const trusts = { issuer: issuer.url, subject: issuer.subject };
  const service_token = { name: "ci", role: "viewer", trusts };
  const { body } = await owner.post(`/accounts/${owner.accountId}/service-tokens`, { service_token });
  serviceToken = body.token.id;
});
afterAll(async () => {
  gantry.close();
  await api.close();
  await Promise.all([port.close(), issuer.close()]);
});

const inGitHub = () => ({
  GITHUB_ACTIONS: "true",
  ACTIONS_ID_TOKEN_REQUEST_URL: issuer.jobUrl,
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: issuer.jobToken,
});
const whoami = async () => JSON.parse((await gantry.run(["whoami", "--json"])).out);

it("signs in from GitHub Actions without a flag, with a token that ends by itself and that only its owner can read", async () => {
  const { code, out, err } = await gantry.run(["login", `${port.url}/`], { env: inGitHub() });
  expect([code, out, err]).toEqual([0, "", expect.stringMatching(/Signed in as ci\. The token ends \S+ \S+ UTC/)]);
  expect(err).not.toContain("gty_");
  expect(statSync(join(gantry.env.GANTRY_CONFIG_DIR ?? "", "config.json")).mode & 0o777).toBe(0o600);
  expect(JSON.stringify(await whoami())).toContain("ci");
});

it.each(["stdin", "variable"])("signs in with the identity token of another pipeline: %s", async (way) => {
  const token = issuer.token(issuer.subject, port.url);
  const run =
    way === "stdin"
      ? await gantry.run(["login", port.url, "--identity-token-stdin"], { input: `${token}\n` })
      : await gantry.run(["login", port.url], { env: { GANTRY_IDENTITY_TOKEN: token } });
  expect(run).toMatchObject({ code: 0, err: expect.stringContaining("Signed in as ci") });
});

it("says what is missing in a job of GitHub Actions without the permission", async () => {
  const { code, err } = await gantry.run(["login", port.url], { env: { GITHUB_ACTIONS: "true" } });
  expect([code, err]).toEqual([3, expect.stringContaining("id-token: write")]);
});

it("says why an identity token is refused", async () => {
  const env = { GANTRY_IDENTITY_TOKEN: issuer.token("repo:mallory/shop:pull_request", port.url) };
  const { code, err } = await gantry.run(["login", port.url], { env });
  expect([code, err]).toEqual([3, expect.stringContaining("subject repo:mallory/shop:pull_request")]);
});

it("asks GitHub for a token that no other address accepts", async () => {
  const other = await openPort();
  const tokens: string[] = [];
  other.serve((input, output) => {
    let body = "";
    input.on("data", (chunk) => {
      body += chunk;
    });
    input.on("end", () => {
      if (body) tokens.push(JSON.parse(body).identity_token);
      output.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ version: { api: 2000 } }));
    });
  });
  await gantry.run(["login", other.url], { env: inGitHub() });
  await other.close();
  expect(tokens).toHaveLength(1);
  const { code, err } = await gantry.run(["login", port.url, "--identity-token-stdin"], { input: tokens[0] ?? "" });
  expect([code, err]).toEqual([3, expect.stringContaining(`its audience must be ${port.url}`)]);
});

it("names the service token if several trust the pipeline", async () => {
  const trusts = { issuer: issuer.url, subject: "repo:acme/*:ref:refs/heads/main" };
  const service_token = { name: "wider", role: "viewer", trusts };
  await owner.post(`/accounts/${owner.accountId}/service-tokens`, { service_token });
  const ambiguous = await gantry.run(["login", port.url], { env: inGitHub() });
  expect([ambiguous.code, ambiguous.err]).toEqual([2, expect.stringContaining(serviceToken)]);
  const named = await gantry.run(["login", port.url, "--service-token", serviceToken], { env: inGitHub() });
  expect(named.code).toBe(0);
  const env = { ...inGitHub(), GANTRY_SERVICE_TOKEN: serviceToken };
  expect((await gantry.run(["login", port.url], { env })).code).toBe(0);
});
