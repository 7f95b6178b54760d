import patchFirewall from "operation:patchFirewall";
import type { Firewall } from "@gantry/client";
import { useParams } from "@tanstack/react-router";
import { Pencil } from "lucide-react";
import { Id, Tags } from "../controls/facts.js";
import { RecordLink } from "../controls/record-link.js";
import { RecordPage } from "../controls/record-page.js";
import { Status, stateOf } from "../controls/status.js";
import { Ago } from "../controls/time.js";
import { OperationButton } from "../forms/operation.button.js";
import { Rules } from "./rules.js";

export function Page() {
  const { account } = useParams({ from: "/$account/firewalls/$id" });
  return (
    <RecordPage<Firewall>
      type="firewall"
      path="/firewalls"
      above={["Firewalls", "firewalls"]}
      titleOf={({ name }) => name}
      facts={(firewall) => [
        ["State", <Status key="state" state={stateOf(firewall)} />],
        ["Environment", firewall.environment && <RecordLink key="environment" url={firewall.environment} />],
        ["Database", firewall.database_service && <RecordLink key="database" url={firewall.database_service} />],
        ["Region", firewall.location],
        ["Security group", <Id key="group" id={firewall.provisioned_id} />],
        ["Tags", <Tags key="tags" tags={firewall.tags} />],
        ["Created", <Ago key="created" at={firewall.created_at} />],
      ]}
      acts={(firewall) => (
        <OperationButton
          account={account}
          operation={patchFirewall}
          ids={[firewall.id]}
          act="Edit"
          icon={<Pencil aria-hidden />}
          record={firewall}
          impossible={firewall.deleted_at ? "The firewall is removed" : undefined}
        />
      )}
      tabs={(firewall) => [["rules", "Rules", <Rules key="rules" firewall={firewall} />]]}
    />
  );
}
