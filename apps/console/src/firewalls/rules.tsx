import createFirewallRule from "operation:createFirewallRule";
import deleteFirewallRule from "operation:deleteFirewallRule";
import modifyFirewallRule from "operation:modifyFirewallRule";
import type { Firewall, FirewallRule } from "@gantry/client";
import { useParams } from "@tanstack/react-router";
import { Pencil, Plus, Trash2 } from "lucide-react";
import { gantry } from "../api.js";
import { Id } from "../controls/facts.js";
import { Empty } from "../controls/notice.js";
import { Bar } from "../controls/panel.js";
import { RecordLink } from "../controls/record-link.js";
import { Records } from "../controls/record-list.js";
import { Status, stateOf } from "../controls/status.js";
import type { Column } from "../controls/table.js";
import { OperationButton } from "../forms/operation.button.js";

/** Who may reach the members of a firewall, and at which ports. */
export function Rules({ firewall }: { firewall: Firewall }) {
  const { account } = useParams({ from: "/$account/firewalls/$id" });
  return (
    <>
      <Bar>
        <OperationButton
          account={account}
          operation={createFirewallRule}
          ids={[firewall.id]}
          act="Add a rule"
          icon={<Plus aria-hidden />}
          record={{ protocol: "tcp" }}
          only={["firewall_rule.source", "firewall_rule.port_range", "firewall_rule.protocol"]}
          labels={{ "firewall_rule.port_range": "Port or range of ports" }}
          impossible={firewall.deleted_at ? "The firewall is removed" : undefined}
        />
      </Bar>
      <Records
        type="firewall_rule"
        of={[firewall.id]}
        label="Rules"
        list={(query, options) => gantry.firewalls.rules(firewall.id, query, options)}
        belongs={(rule) => rule.firewall.endsWith(`/firewalls/${firewall.id}`)}
        columns={columns(account)}
        empty={<Empty title="The firewall lets nothing in: it has no rule" />}
      />
    </>
  );
}

function columns(account: string): Column<FirewallRule>[] {
  return [
    { title: "Ports", cell: ({ port_range }) => <code>{port_range}</code> },
    { title: "Protocol", cell: ({ protocol }) => protocol },
    {
      title: "Source",
      cell: ({ source, source_firewall }) =>
        source_firewall ? <RecordLink url={source_firewall} /> : <code>{source}</code>,
    },
    { title: "Applies to", cell: ({ application_only }) => (application_only ? "application servers" : "all servers") },
    { title: "State", cell: (rule) => <Status state={stateOf(rule)} /> },
    { title: "AWS id", cell: ({ provisioned_id }) => <Id id={provisioned_id} /> },
    {
      title: "Acts",
      isRight: true,
      cell: (rule) => {
        const shared = {
          account,
          ids: [rule.id],
          isSmall: true,
          impossible: rule.deleted_at ? "The rule is removed" : undefined,
        };
        return (
          <span>
            <OperationButton
              {...shared}
              operation={modifyFirewallRule}
              act={`Change the rule of ${rule.port_range} from ${rule.source}`}
              title="Change the rule"
              icon={<Pencil aria-hidden />}
              record={rule}
              labels={{ "firewall_rule.port_range": "Port or range of ports" }}
            />
            <OperationButton
              {...shared}
              operation={deleteFirewallRule}
              act={`Remove the rule of ${rule.port_range} from ${rule.source}`}
              title="Remove the rule"
              kind="danger"
              icon={<Trash2 aria-hidden />}
            >
              <p>
                {rule.source} can no longer reach port {rule.port_range} by this rule. The other rules stay.
              </p>
            </OperationButton>
          </span>
        );
      },
    },
  ];
}
