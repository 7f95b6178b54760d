import createAccountProvider from "operation:createAccountProvider";
import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { gantry } from "../api.js";
import { Id } from "../controls/facts.js";
import { OperationButton } from "../forms/operation.button.js";

const FIELDS = [
  "name",
  "credentials.role_arn",
  "credentials.access_key_id",
  "credentials.secret_access_key",
  "permissions_boundary",
].map((name) => `provider.${name}`);

export const CREDENTIAL_LABELS = {
  "provider.credentials.role_arn": "ARN of the role",
  "provider.credentials.access_key_id": "Access key id, without a role",
  "provider.credentials.secret_access_key": "Secret access key",
};

/** A button that adds an AWS account, with what its role must require. */
export function AddProvider({ account }: { account: string }) {
  return (
    <OperationButton
      account={account}
      operation={createAccountProvider}
      act="Add a provider"
      icon={<Plus aria-hidden />}
      isMain
      fixed={{ "provider.type": "aws" }}
      only={FIELDS}
      labels={CREDENTIAL_LABELS}
    >
      <RoleSteps account={account} />
      <p>
        Without credentials, the provider shares the AWS account of the workers, if the operator of Gantry allows it:
        with the local stack, leave the fields empty.
      </p>
    </OperationButton>
  );
}

/** How to create the role in AWS that a provider needs. */
export function RoleSteps({ account }: { account: string }) {
  const { data: externalId } = useQuery({
    queryKey: ["external id", account],
    queryFn: async ({ signal }) => {
      const { body } = await gantry.call("GET", `/accounts/${account}/external-id`, { signal });
      return (body as { external_id: string }).external_id;
    },
  });
  return (
    <p>
      Create the role in AWS with the CloudFormation or Terraform template of{" "}
      <a href="/docs/aws-permissions" target="_blank" rel="noreferrer">
        Permissions in AWS
      </a>
      . Its trust policy must require the external id <Id id={externalId ?? "…"} />
    </p>
  );
}
