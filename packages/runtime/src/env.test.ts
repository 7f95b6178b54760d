import { expect, it } from "@jest/globals";
import { readEnv } from "./env.js";

const COMPLETE = { DATABASE_URL: "postgresql://127.0.0.1/gantry", MASTER_KEY: Buffer.alloc(32).toString("base64") };

it("uses the defaults of variables that are not set", () => {
  expect(readEnv(COMPLETE)).toMatchObject({ LEASE_SECONDS: 15, SWEEP_SECONDS: 5, AWS_CALL_SECONDS: 10 });
  expect(readEnv(COMPLETE)).toMatchObject({ AWS_VISIBILITY_SECONDS: 60, HOME_REGION: "us-east-1" });
});

it("names every variable that is missing or malformed", () => {
  expect(() => readEnv({ MASTER_KEY: "short", PORT: "-1" })).toThrow(/DATABASE_URL: .*MASTER_KEY: .*PORT: /);
});

it("refuses a lease that no call fits into", () => {
  expect(() => readEnv({ ...COMPLETE, LEASE_SECONDS: "10" })).toThrow(/LEASE_SECONDS: A lease must be longer/);
});
