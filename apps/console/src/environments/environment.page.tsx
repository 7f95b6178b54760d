import type { Environment, Server } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { Id, Tags } from "../controls/facts.js";
import { RecordLink } from "../controls/record-link.js";
import { RecordPage } from "../controls/record-page.js";
import { Status } from "../controls/status.js";
import { Ago } from "../controls/time.js";
import { EnvironmentActs } from "./environment.acts.js";
import { serversQuery } from "./environment.queries.js";
import { environmentState, rolesText } from "./environment.state.js";
import { environmentTabs } from "./environment.tabs.js";

export function Page() {
  const { account, id } = useParams({ from: "/$account/environments/$id" });
  const { data: servers } = useQuery(serversQuery(id));
  return (
    <RecordPage<Environment>
      type="environment"
      path="/environments"
      above={["Environments", "environments"]}
      titleOf={({ name }) => name}
      facts={(environment) => [
        [
          "State",
          environment.deleted_at ? (
            <Status key="state" state="removed" />
          ) : (
            servers && <Status key="state" state={environmentState(servers.items)} />
          ),
        ],
        ["Host", hostOf(servers?.items ?? [])],
        ["Servers", servers && (rolesText(servers.items) || "none")],
        ["Region", environment.region],
        ["Network", <RecordLink key="network" url={environment.network} />],
        ["VPC", <Id key="vpc" id={environment.vpc_provisioned_id} />],
        ["Group", environment.auto_scaling_group && <RecordLink key="group" url={environment.auto_scaling_group} />],
        ["Firewall", environment.firewall && <RecordLink key="firewall" url={environment.firewall} />],
        ["Tags", <Tags key="tags" tags={environment.tags} />],
        ["Created", <Ago key="created" at={environment.created_at} />],
      ]}
      acts={(environment) => (
        <EnvironmentActs account={account} environment={environment} servers={servers?.items ?? []} />
      )}
      tabs={(environment) => environmentTabs(account, environment)}
    />
  );
}

/** Where the environment answers: at the public host of its first server. */
function hostOf(servers: readonly Server[]) {
  const first = servers.find(({ role }) => role === "app_master" || role === "solo");
  return first?.public_hostname && <Id id={first.public_hostname} />;
}
