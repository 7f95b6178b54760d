import type { Network } from "@gantry/client";
import { Id, Tags } from "../controls/facts.js";
import { RecordLink } from "../controls/record-link.js";
import { RecordPage } from "../controls/record-page.js";
import { Status, stateOf } from "../controls/status.js";
import { Ago } from "../controls/time.js";
import { NetworkActs } from "./network.acts.js";
import { Diagram } from "./network.diagram.js";
import { Subnets } from "./subnets.js";

export function Page() {
  return (
    <RecordPage<Network>
      type="network"
      path="/networks"
      above={["Networks", "networks"]}
      titleOf={({ name, cidr }) => name ?? cidr}
      facts={(network) => [
        ["State", <Status key="state" state={stateOf(network)} />],
        ["Block", <code key="block">{network.cidr}</code>],
        ["Region", network.location],
        ["Provider", <RecordLink key="provider" url={network.provider} />],
        ["VPC", <Id key="vpc" id={network.provisioned_id} />],
        ["Tags", <Tags key="tags" tags={network.tags} />],
        ["Created", <Ago key="created" at={network.created_at} />],
      ]}
      acts={(network) => <NetworkActs network={network} />}
      tabs={(network) => [
        ["diagram", "Diagram", <Diagram key="diagram" network={network} />],
        ["subnets", "Subnets", <Subnets key="subnets" network={network} />],
      ]}
    />
  );
}
