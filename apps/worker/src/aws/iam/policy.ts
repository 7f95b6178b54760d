import {
  CreatePolicyCommand,
  DeletePolicyCommand,
  GetPolicyCommand,
  ListEntitiesForPolicyCommand,
  ListPolicyVersionsCommand,
} from "@aws-sdk/client-iam";
import { GetCallerIdentityCommand } from "@aws-sdk/client-sts";
import type { CloudKind } from "../../engine/cloud-kind.js";
import { found, ignoring } from "../aws-errors.js";
import type { Aws } from "../clients.js";
import { findByName, NOT_FOUND, tagsOf } from "./tags.js";

export interface PolicyParams {
  name: string;
  path: string;
  document: object;
}

/** A customer managed policy. Its id is its ARN. */
export const policy: CloudKind<Aws, PolicyParams> = {
  kind: "policy",
  label: "policy",
  strategy: "name",
  async find({ iam, sts }, intent) {
    const { name, path } = intent.params;
    const { Arn = "" } = await sts.send(new GetCallerIdentityCommand({}));
    const [, partition, , , account] = Arn.split(":");
    const arn = `arn:${partition}:iam::${account}:policy${path}${name}`;
    return findByName(intent, arn, async () => (await iam.send(new GetPolicyCommand({ PolicyArn: arn }))).Policy?.Tags);
  },
  async create({ noRetry }, intent) {
    const { name, path, document } = intent.params;
    const { Policy } = await noRetry.iam.send(
      new CreatePolicyCommand({
        PolicyName: name,
        Path: path,
        PolicyDocument: JSON.stringify(document),
        Tags: tagsOf(intent),
      }),
    );
    if (!Policy?.Arn) throw new Error("AWS did not return an ARN for CreatePolicy");
    return Policy.Arn;
  },
  async obstacles({ iam }, arn) {
    const [users, versions] = await Promise.all([
      found(iam.send(new ListEntitiesForPolicyCommand({ PolicyArn: arn })), NOT_FOUND),
      found(iam.send(new ListPolicyVersionsCommand({ PolicyArn: arn })), NOT_FOUND),
    ]);
    const used = (label: string, name = "") => ({ fact: `is used by ${label} ${name}`, ids: [name] });
    return [
      ...(users?.PolicyRoles ?? []).map(({ RoleName }) => used("role", RoleName)),
      ...(users?.PolicyUsers ?? []).map(({ UserName }) => used("user", UserName)),
      ...(users?.PolicyGroups ?? []).map(({ GroupName }) => used("group", GroupName)),
      ...(versions?.Versions ?? [])
        .filter(({ IsDefaultVersion }) => !IsDefaultVersion)
        .map(({ VersionId = "" }) => ({
          fact: `has version ${VersionId} in addition to its default version`,
          ids: [],
        })),
    ];
  },
  async remove({ iam }, arn) {
    await ignoring(iam.send(new DeletePolicyCommand({ PolicyArn: arn })), NOT_FOUND);
  },
};
