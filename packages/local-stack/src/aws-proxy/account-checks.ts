import { randomUUID } from "node:crypto";
import { type AwsResponse, errorResponse, textResponse } from "./aws-response.js";
import { type Call, listParam } from "./call.js";

/** AWS's default quotas of a new account, by their codes. */
const QUOTAS: Record<string, number> = {
  "L-F678F1CE": 5,
  "L-0263D0A3": 5,
  "L-1216C47A": 32,
  "L-7B6409FD": 40,
};

/** Whether the account's faults deny an action to the caller. */
type IsDenied = (service: string, action: string) => boolean;

/** Answers the calls by which an account is checked, and which the emulator lacks: simulated policies, quotas, the default key. */
export function answerAccountCheck(call: Call, isDenied: IsDenied): AwsResponse | undefined {
  return ANSWERS[`${call.service} ${call.action}`]?.(call, isDenied);
}

const ANSWERS: Record<string, (call: Call, isDenied: IsDenied) => AwsResponse> = {
  "ec2 GetEbsDefaultKmsKeyId": () =>
    xml(
      `<GetEbsDefaultKmsKeyIdResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>${randomUUID()}</requestId>` +
        "<kmsKeyId>alias/aws/ebs</kmsKeyId></GetEbsDefaultKmsKeyIdResponse>",
    ),

  "iam SimulatePrincipalPolicy": ({ params }, isDenied) => {
    const results = listParam(params, "ActionNames.member").map((name) => {
      const [service = "", action = ""] = name.split(":");
      const decision = isDenied(service, action) ? "implicitDeny" : "allowed";
      return (
        `<member><EvalActionName>${name}</EvalActionName><EvalDecision>${decision}</EvalDecision>` +
        `<EvalResourceName>${params["ResourceArns.member.1"] ?? "*"}</EvalResourceName></member>`
      );
    });
    return xml(
      '<SimulatePrincipalPolicyResponse xmlns="https://iam.amazonaws.com/doc/2010-05-08/"><SimulatePrincipalPolicyResult>' +
        `<IsTruncated>false</IsTruncated><EvaluationResults>${results.join("")}</EvaluationResults>` +
        `</SimulatePrincipalPolicyResult><ResponseMetadata><RequestId>${randomUUID()}</RequestId></ResponseMetadata>` +
        "</SimulatePrincipalPolicyResponse>",
    );
  },

  "servicequotas GetServiceQuota": (call) => {
    const { ServiceCode, QuotaCode = "" } = call.params;
    const Value = QUOTAS[QuotaCode];
    if (Value === undefined) return errorResponse(call, { code: "NoSuchResourceException", message: "No such quota." });
    const body = JSON.stringify({ Quota: { ServiceCode, QuotaCode, Value, Adjustable: true } });
    return textResponse(200, "application/x-amz-json-1.1", body);
  },
};

function xml(body: string): AwsResponse {
  return textResponse(200, "text/xml;charset=UTF-8", body);
}
