import {
  AddRoleToInstanceProfileCommand,
  CreateInstanceProfileCommand,
  DeleteInstanceProfileCommand,
  GetInstanceProfileCommand,
  RemoveRoleFromInstanceProfileCommand,
} from "@aws-sdk/client-iam";
import type { CloudKind } from "../../engine/cloud-kind.js";
import { codeOf, ignoring } from "../aws-errors.js";
import type { Aws } from "../clients.js";
import { findByName, NOT_FOUND, tagsOf } from "./tags.js";

export interface InstanceProfileParams {
  name: string;
  path: string;
  roleName: string;
}

/** An instance profile with a role. Its id is its name. */
export const instanceProfile: CloudKind<Aws, InstanceProfileParams> = {
  kind: "instance_profile",
  label: "instance profile",
  strategy: "name",
  async find({ iam }, intent) {
    const { name } = intent.params;
    return findByName(intent, name, async () => {
      const { InstanceProfile } = await iam.send(new GetInstanceProfileCommand({ InstanceProfileName: name }));
      return InstanceProfile?.Tags;
    });
  },
  async create({ noRetry }, intent) {
    const { name, path } = intent.params;
    await noRetry.iam.send(
      new CreateInstanceProfileCommand({ InstanceProfileName: name, Path: path, Tags: tagsOf(intent) }),
    );
    return name;
  },
  async sync({ iam }, name, { params }) {
    const carries = async () => (await rolesOf(iam, name)).includes(params.roleName);
    if (await carries()) return;
    const add = new AddRoleToInstanceProfileCommand({ InstanceProfileName: name, RoleName: params.roleName });
    try {
      await iam.send(add);
    } catch (error) {
      // A profile holds one role: AWS refuses to add the role again after a lost response.
      if (codeOf(error) !== "LimitExceeded" || !(await carries())) throw error;
    }
  },
  // It leaves the instances that use it.
  obstacles: "none",
  async remove({ iam }, name) {
    await ignoring(empty(iam, name), NOT_FOUND);
    await ignoring(iam.send(new DeleteInstanceProfileCommand({ InstanceProfileName: name })), NOT_FOUND);
  },
};

async function rolesOf(iam: Aws["iam"], name: string): Promise<string[]> {
  const { InstanceProfile } = await iam.send(new GetInstanceProfileCommand({ InstanceProfileName: name }));
  return (InstanceProfile?.Roles ?? []).map(({ RoleName }) => RoleName ?? "");
}

async function empty(iam: Aws["iam"], name: string): Promise<void> {
  for (const RoleName of await rolesOf(iam, name)) {
    const removeRole = new RemoveRoleFromInstanceProfileCommand({ InstanceProfileName: name, RoleName });
    await ignoring(iam.send(removeRole), NOT_FOUND);
  }
}
