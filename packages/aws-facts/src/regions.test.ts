import { partitionOfArn, regionIn } from "./regions.js";

it.each([
  ["arn:aws:iam::123456789012:role/x", "eu-central-1", "eu-central-1"],
  ["arn:aws:iam::123456789012:role/x", undefined, "us-east-1"],
  ["arn:aws-cn:iam::123456789012:role/x", "eu-central-1", "cn-north-1"],
  ["arn:aws-cn:iam::123456789012:role/x", "cn-northwest-1", "cn-northwest-1"],
  ["arn:aws-us-gov:iam::123456789012:role/x", undefined, "us-gov-west-1"],
])("chooses for %s, given %s, the region %s", (arn, preferred, region) => {
  expect(regionIn(partitionOfArn(arn) ?? "aws", preferred)).toBe(region);
});

it("knows no other partition", () => {
  expect(partitionOfArn("arn:aws-iso:iam::123456789012:role/x")).toBeUndefined();
});
