import { whyServersCannotReport, whyUnreachableFromAws } from "./server-reports.js";

it.each([
  ["https://127.0.0.1", /machine that runs Gantry/],
  ["https://127.1:3000", /machine that runs Gantry/],
  ["https://0.0.0.0", /machine that runs Gantry/],
  ["https://[::1]:3000", /machine that runs Gantry/],
  ["https://[::ffff:127.0.0.1]", /machine that runs Gantry/],
  ["https://localhost", /machine that runs Gantry/],
  ["https://localhost.", /machine that runs Gantry/],
  ["https://gantry.localhost", /machine that runs Gantry/],
  ["https://10.1.2.3", /private/],
  ["https://172.31.0.1", /private/],
  ["https://192.168.1.10", /private/],
  ["https://100.64.0.1", /private/],
  ["https://169.254.169.254", /private/],
  ["https://[fd00::1]", /private/],
  ["https://[fe80::1]", /private/],
  ["https://gantry", /without a domain/],
  ["https://gantry:3000", /without a domain/],
  ["http://gantry.example.com", /does not use https/],
  ["http://203.0.113.7", /does not use https/],
])("reports that AWS cannot reach %s", (url, reason) => {
  expect(whyUnreachableFromAws(url)).toMatch(reason);
});

it.each([
  "https://gantry.example.com",
  "https://203.0.113.7",
  "https://172.32.0.1",
  "https://[2001:db8::1]:8443/gantry",
])("accepts %s", (url) => {
  expect(whyUnreachableFromAws(url)).toBeUndefined();
});

const settings = {
  SERVER_REPORTS: "callback" as const,
  AWS_ENDPOINT_URL: undefined,
  BASE_URL: "http://localhost:3000",
};

it("names BASE_URL and both remedies if servers in AWS could not report", () => {
  for (const BASE_URL of [settings.BASE_URL, undefined]) {
    const sentence = whyServersCannotReport({ ...settings, BASE_URL });
    for (const part of ["BASE_URL", BASE_URL ?? "not set", "https", "SERVER_REPORTS=none"])
      expect(sentence).toContain(part);
  }
});

it("allows every address if an endpoint stands in for AWS, or servers send no reports", () => {
  expect(whyServersCannotReport({ ...settings, AWS_ENDPOINT_URL: "http://127.0.0.1:5000" })).toBeUndefined();
  expect(whyServersCannotReport({ ...settings, SERVER_REPORTS: "none" })).toBeUndefined();
  expect(whyServersCannotReport({ ...settings, AWS_ENDPOINT_URL: "" })).toBeDefined();
});
