import { expect, it } from "@jest/globals";
import { classifyAwsError } from "./aws-errors.js";

function awsError(name: string, httpStatusCode = 400): Error {
  return Object.assign(new Error("arn:aws:iam::123456789012:role/other"), {
    name,
    $metadata: { httpStatusCode },
  });
}

it.each([
  ["RequestLimitExceeded", "wait"],
  ["Throttling", "wait"],
  ["DependencyViolation", "wait"],
  ["DeleteConflict", "wait"],
  ["InvalidVpcID.NotFound", "wait"],
  ["InvalidSubnetID.NotFound", "wait"],
  ["InvalidGroup.NotFound", "wait"],
  ["InvalidAllocationID.NotFound", "wait"],
  ["InvalidVolume.NotFound", "wait"],
  ["VolumeInUse", "wait"],
  ["IncorrectState", "wait"],
  ["InvalidInstanceID", "wait"],
  ["InsufficientInstanceCapacity", "wait"],
  ["InvalidDBInstanceStateFault", "wait"],
  ["InvalidDBParameterGroupStateFault", "wait"],
  ["DBInstanceNotFoundFault", "wait"],
  ["InsufficientDBInstanceCapacityFault", "wait"],
  ["InstanceQuotaExceededFault", "permanent"],
  ["DBSubnetGroupDoesNotCoverEnoughAZs", "permanent"],
  ["VpcLimitExceeded", "permanent"],
  ["LimitExceeded", "permanent"],
  ["LimitExceededException", "permanent"],
  ["EntityAlreadyExists", "permanent"],
  ["InvalidPermission.Duplicate", "permanent"],
  ["AuthFailure", "permanent"],
  ["InvalidClientTokenId", "permanent"],
  ["UnauthorizedOperation", "permanent"],
  ["AccessDenied", "permanent"],
  ["InvalidParameterValue", "permanent"],
  ["InternalError", "retry"],
  ["ServiceUnavailable", "retry"],
  ["TimeoutError", "retry"],
])("classifies %s as %s", (code, kind) => {
  expect(classifyAwsError(awsError(code))?.kind).toBe(kind);
});

it("retries every error of status 5xx, whatever its name", () => {
  expect(classifyAwsError(awsError("SomethingNew", 503))?.kind).toBe("retry");
});

it("never repeats AWS's own text", () => {
  for (const code of ["AccessDenied", "SomethingNew", "InternalError"]) {
    expect(JSON.stringify(classifyAwsError(awsError(code)))).not.toContain("arn:");
  }
});

it("classifies no error that is not AWS's", () => {
  expect(classifyAwsError(new TypeError("a bug"))).toBeUndefined();
  expect(classifyAwsError("text")).toBeUndefined();
});
