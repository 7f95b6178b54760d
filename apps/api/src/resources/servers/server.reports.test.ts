import { createCaller, createEnvironment, createProvider, startTestApi } from "@gantry/test/support/api";

const opened: { close(): Promise<void> }[] = [];
afterAll(async () => {
  for (const api of opened) await api.close();
});

async function answers(settings: Record<string, string>) {
  const api = await startTestApi(settings);
  opened.push(api);
  const owner = await createCaller(api);
  const provider = await createProvider(api.db, owner.accountId);
  const environment = await createEnvironment(api.db, provider);
  const server = { flavor: "m3.medium", role: "util", name: "one" };
  const sizes = { minimum_size: 1, maximum_size: 2 };
  const boot = { cluster_configuration: { configuration: { type: "solo" } } };
  return [
    await owner.post(`/environments/${environment.id}/boot?dry_run=true`, boot),
    await owner.post("/servers", { environment: environment.id, server }),
    await owner.post("/auto_scaling_groups", { environment: environment.id, auto_scaling_group: sizes }),
  ];
}

const refusals = async (settings: Record<string, string>) =>
  (await answers(settings)).map(({ status, body }) => [status, String(body.errors)]);

it("refuses servers, boots and scaling groups at once if servers in AWS could not report, and names the remedies", async () => {
  const sentence = expect.stringMatching(/BASE_URL \(http:\/\/127\.0\.0\.1:3000\) .* https .* SERVER_REPORTS=none/);
  const refused = [409, sentence];
  expect(await refusals({ AWS_ENDPOINT_URL: "", BASE_URL: "http://127.0.0.1:3000" })).toEqual([
    refused,
    refused,
    refused,
  ]);
});

it.each([
  ["BASE_URL can be reached", { AWS_ENDPOINT_URL: "", BASE_URL: "https://gantry.example.com" }],
  ["an endpoint stands in for AWS", { AWS_ENDPOINT_URL: "http://127.0.0.1:5000", BASE_URL: "http://127.0.0.1:3000" }],
  ["servers send no reports", { AWS_ENDPOINT_URL: "", BASE_URL: "http://127.0.0.1:3000", SERVER_REPORTS: "none" }],
])("accepts them if %s", async (_name, settings) => {
  const [boot, server, group] = await answers(settings);
  expect([boot?.status, server?.status]).toEqual([200, 200]);
  expect(String(group?.body.errors)).not.toContain("BASE_URL");
});
