import { expect, it } from "@jest/globals";
import { parseCall } from "./call.js";
import { PublishedRates } from "./published-rates.js";

let now = 0;

const call = (form: Record<string, string>, region = "us-east-1") => {
  const authorization = `AWS4-HMAC-SHA256 Credential=KEY/20261122/${region}/ec2/aws4_request, Signature=none`;
  return parseCall("POST", "/", { authorization }, Buffer.from(new URLSearchParams(form).toString()));
};
const filtered = { Action: "DescribeInstances", "Filter.1.Name": "instance-id" };
const runs = (MaxCount: string) => ({ Action: "RunInstances", MaxCount });

function held() {
  const rates = new PublishedRates(() => now);
  rates.enforceFor("held");
  const allowed = (form: Record<string, string>, times: number, region?: string) =>
    Array.from({ length: times }, () => rates.allow(call(form, region), "held")).filter(Boolean).length;
  return { rates, allowed };
}

it("holds each action in each region to the published burst and rate", () => {
  const { allowed } = held();
  expect(allowed(filtered, 150)).toBe(100);
  expect(allowed(filtered, 150, "eu-west-1")).toBe(100);
  expect(allowed({ Action: "DescribeVolumes", "Filter.1.Name": "volume-id" }, 150)).toBe(100);
  now += 2000;
  expect(allowed(filtered, 150)).toBe(40);
  expect(allowed({ Action: "DescribeInstances" }, 150)).toBe(50);
  expect(allowed({ Action: "CreateVpc" }, 150)).toBe(50);
  now += 1000;
  expect(allowed({ Action: "CreateVpc" }, 150)).toBe(5);
});

it("counts instances as well as calls where they are run, and takes nothing for a call that it refuses", () => {
  const { allowed } = held();
  expect(allowed(runs("600"), 2)).toBe(1);
  expect(allowed(runs("401"), 1)).toBe(0);
  expect(allowed(runs("100"), 4)).toBe(4);
  now += 1000;
  expect(allowed(runs("1"), 5)).toBe(2);
});

it("leaves alone who is not held to the rates", () => {
  const { rates } = held();
  expect(Array.from({ length: 500 }, () => rates.allow(call(filtered), "free")).every(Boolean)).toBe(true);
});
