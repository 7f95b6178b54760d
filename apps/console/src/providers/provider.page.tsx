import checkProvider from "operation:checkProvider";
import deleteProvider from "operation:deleteProvider";
import discoverProviderLocations from "operation:discoverProviderLocations";
import patchProvider from "operation:patchProvider";
import replaceProviderCredentials from "operation:replaceProviderCredentials";
import type { Provider } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { ClipboardCheck, Compass, KeyRound, Pencil, Trash2 } from "lucide-react";
import { regionsQuery } from "../controls/choices.js";
import { Id } from "../controls/facts.js";
import { RecordPage } from "../controls/record-page.js";
import { Ago } from "../controls/time.js";
import { More } from "../forms/more.js";
import { OperationButton } from "../forms/operation.button.js";
import { useReadAgain } from "../live/recent-events.js";
import { LastCheck } from "./last-check.js";
import { CREDENTIAL_LABELS, RoleSteps } from "./provider-form.js";
import { Regions } from "./regions.js";

export function Page() {
  const { account, id } = useParams({ from: "/$account/providers/$id" });
  const { data: regions } = useQuery(regionsQuery(id));
  useReadAgain(account, "provider_location", ({ type, record }) =>
    type === "request.finished" ? /discover/.test(String(record?.type)) : false,
  );
  return (
    <RecordPage<Provider>
      type="provider"
      path="/providers"
      above={["Providers", "providers"]}
      titleOf={nameOf}
      facts={(provider) => [
        ["AWS account", <Id key="aws" id={provider.provisioned_id} />],
        ["Credentials", provider.shared ? "those of the workers" : "its own"],
        ["Permissions boundary", provider.permissions_boundary],
        ["Created", <Ago key="created" at={provider.created_at} />],
      ]}
      acts={(provider) => {
        const shared = { account, ids: [provider.id] };
        return (
          <>
            <OperationButton
              {...shared}
              operation={discoverProviderLocations}
              act="Discover regions"
              icon={<Compass aria-hidden />}
            />
            <OperationButton
              {...shared}
              operation={checkProvider}
              act="Check"
              icon={<ClipboardCheck aria-hidden />}
              choices={{ region: regions }}
            >
              <p>Gantry reports what would fail in the AWS account. It changes nothing there.</p>
            </OperationButton>
            <More>
              <OperationButton
                {...shared}
                operation={patchProvider}
                act="Edit"
                icon={<Pencil aria-hidden />}
                record={provider}
              />
              <OperationButton
                {...shared}
                operation={replaceProviderCredentials}
                act="Replace the credentials"
                icon={<KeyRound aria-hidden />}
                labels={CREDENTIAL_LABELS}
                impossible={provider.shared ? "It uses the credentials of the workers" : undefined}
              >
                <RoleSteps account={account} />
              </OperationButton>
              <OperationButton
                {...shared}
                operation={deleteProvider}
                act="Remove"
                title="Remove the provider"
                kind="danger"
                icon={<Trash2 aria-hidden />}
                confirm={nameOf(provider)}
              >
                <p>Gantry forgets the AWS account and its credentials. The AWS account and its role stay.</p>
              </OperationButton>
            </More>
          </>
        );
      }}
      tabs={() => [
        ["regions", "Regions", <Regions key="regions" account={account} provider={id} />],
        ["check", "Last check", <LastCheck key="check" account={account} provider={id} />],
      ]}
    />
  );
}

function nameOf({ id, name }: Provider): string {
  return name ?? `provider ${id}`;
}
