import { basename } from "node:path";

// The SDK sends the name with each call, so that a violation of AWS's models fails the file that made it. The end of the
// whole run fails for calls without a name.
const app = basename(expect.getState().testPath ?? "").slice(-50);
process.env.AWS_SDK_UA_APP_ID = app;

afterAll(async () => {
  const query = new URLSearchParams({ app });
  const response = await fetch(`${process.env.TEST_AWS_ENDPOINT}/__gantry/violations?${query}`, {
    // An idle connection would keep the test process running.
    headers: { connection: "close" },
  });
  expect(await response.json()).toEqual([]);
});
