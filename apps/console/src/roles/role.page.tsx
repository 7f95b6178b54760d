import deleteIamRole from "operation:deleteIamRole";
import modifyIamRole from "operation:modifyIamRole";
import patchIamRole from "operation:patchIamRole";
import type { IamRole } from "@gantry/client";
import { useParams } from "@tanstack/react-router";
import { FilePen, Pencil, Trash2 } from "lucide-react";
import { Id, Tags } from "../controls/facts.js";
import { RecordLink } from "../controls/record-link.js";
import { RecordPage } from "../controls/record-page.js";
import { Status, stateOf } from "../controls/status.js";
import { Json } from "../controls/tabs.js";
import { Ago } from "../controls/time.js";
import { OperationButton } from "../forms/operation.button.js";

export function Page() {
  const { account } = useParams({ from: "/$account/roles/$id" });
  return (
    <RecordPage<IamRole>
      type="iam_role"
      path="/iam_roles"
      above={["Roles", "roles"]}
      titleOf={({ name }) => name}
      facts={(role) => [
        ["State", <Status key="state" state={stateOf(role)} />],
        ["For servers", role.instance_profile ? "yes" : "no"],
        ["Provider", <RecordLink key="provider" url={role.provider} />],
        ["Path", <code key="path">{role.path}</code>],
        ["ARN", <Id key="arn" id={role.arn} />],
        ["Policy", role.policy_arn && <Id key="policy" id={role.policy_arn} />],
        ["Tags", <Tags key="tags" tags={role.tags} />],
        ["Created", <Ago key="created" at={role.created_at} />],
      ]}
      acts={(role) => {
        const impossible = role.deleted_at || role.removal_started_at ? "It is being removed" : undefined;
        const shared = { account, ids: [role.id], impossible };
        return (
          <>
            <OperationButton
              {...shared}
              operation={modifyIamRole}
              act="Change the policy"
              icon={<FilePen aria-hidden />}
              only={["iam_role.policy", "iam_role.policy_arn"]}
              record={{ policy_arn: role.user_managed_policy ? role.policy_arn : null }}
              labels={{ "iam_role.policy_arn": "ARN of another policy" }}
            />
            <OperationButton
              {...shared}
              operation={patchIamRole}
              act="Edit"
              icon={<Pencil aria-hidden />}
              record={role}
            />
            <OperationButton
              {...shared}
              operation={deleteIamRole}
              act="Remove the role"
              kind="danger"
              icon={<Trash2 aria-hidden />}
            >
              <p>Gantry removes the role {role.name} from AWS. A policy that Gantry did not create stays.</p>
            </OperationButton>
          </>
        );
      }}
      tabs={(role) => [
        ["policy", "Policy", <Json key="policy" value={role.policy} />],
        ["trust", "Who may use it", <Json key="trust" value={role.assume_role_policy_document} />],
      ]}
    />
  );
}
