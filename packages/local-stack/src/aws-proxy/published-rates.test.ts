import { parseCall } from "./call.js";
import { PublishedRates } from "./published-rates.js";

let now = 0;

const call = (form: Record<string, string>, region = "us-east-1") => {
  const authorization = `AWS4-HMAC-SHA256 Credential=KEY/20261122/${region}/ec2/aws4_request, Signature=none`;
  return parseCall("POST", "/", { authorization }, Buffer.from(new URLSearchParams(form).toString()));
};
const filtered = { Action: "DescribeInstances", "Filter.1.Name": "instance-id" };
const runs = (MaxCount: string) => ({ Action: "RunInstances", MaxCount });

function enforced() {
  const rates = new PublishedRates(() => now);
  rates.enforceFor("limited");
  const allowed = (form: Record<string, string>, times: number, region?: string) =>
    Array.from({ length: times }, () => rates.allow(call(form, region), "limited")).filter(Boolean).length;
  return { rates, allowed };
}

it("limits each action in each region to the published burst and rate", () => {
  const { allowed } = enforced();
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

it("counts the instances of RunInstances as well as the calls, and uses no token for a rejected call", () => {
  const { allowed } = enforced();
  expect(allowed(runs("600"), 2)).toBe(1);
  expect(allowed(runs("401"), 1)).toBe(0);
  expect(allowed(runs("100"), 4)).toBe(4);
  now += 1000;
  expect(allowed(runs("1"), 5)).toBe(2);
});

it("limits no account without enforcement", () => {
  const { rates } = enforced();
  expect(Array.from({ length: 500 }, () => rates.allow(call(filtered), "free")).every(Boolean)).toBe(true);
});
