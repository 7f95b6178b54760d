import { insertInto, nextId } from "@gantry/db";
import { firewallRule, firewallRuleChanges, plannedChanges } from "@gantry/resources";
import { endpoint } from "../../http/endpoint.js";
import { strict } from "../../http/input/input.js";
import { indexed, references, text } from "../../http/lists/filters.js";
import { many } from "../../http/reply/list.js";
import { one, requested } from "../../http/reply/reply.js";
import { listChildren, listRecords, removeByRequest, showRecord } from "../record-endpoints.js";
import {
  findRuleModification,
  portRange,
  protocol,
  requireAllowedRule,
  ruleChangesInput,
  source,
  sourceColumns,
} from "./firewall-rule.rules.js";

const ruleInput = strict({
  source: source.optional().describe("The id of a firewall, or a CIDR block; the firewall itself if omitted"),
  port_range: portRange.default("0-65535"),
  protocol: protocol.default("tcp"),
}).prefault({});

const list = many(firewallRule, {
  filters: { firewall: indexed(references("firewall")), port_range: text, source: text },
});

export const firewallRuleEndpoints = [
  endpoint({
    route: "POST /firewalls/:firewall/rules",
    summary: "Allow traffic into a firewall from its own members, from another firewall's members or from a CIDR block",
    body: strict({ firewall_rule: ruleInput }),
    transaction: true,
    reply: requested("provision_firewall_rule"),
    handle: async ({ params, body, caller, db, createRequest }) => {
      // A shared lock: two firewalls that allow each other in at once must not deadlock.
      const firewall = await caller.find("firewall", params.firewall, "share");
      const { id: firewallId, accountId } = firewall;
      const { source: from = { firewallId }, port_range: portRange, protocol } = body.firewall_rule;
      const rule = {
        ...sourceColumns(from),
        portRange,
        protocol,
        applicationOnly: false,
      };
      await requireAllowedRule(caller, db, firewall, rule);
      const id = await nextId(db, "firewall_rules");
      return createRequest("provision_firewall_rule", {
        accountId,
        resource: { type: "firewall_rule", id },
        input: {},
        rows: [insertInto("firewall_rules", { id, accountId, firewallId, ...rule })],
      });
    },
  }),

  endpoint({
    route: "POST /firewall-rules/:firewall_rule/modify",
    summary: "Give a firewall rule another source, protocol or range of ports, with no moment without the rule",
    body: strict({ firewall_rule: ruleChangesInput }),
    transaction: true,
    reply: requested("modify_firewall_rule"),
    handle: async ({ params, body, caller, db, createRequest }) => {
      const { rule, changes } = await findRuleModification(caller, db, params.firewall_rule, body.firewall_rule);
      const { id, accountId } = rule;
      return createRequest("modify_firewall_rule", {
        accountId,
        resource: { type: "firewall_rule", id },
        input: changes,
        changes: () => ({ changes: plannedChanges(firewallRuleChanges, rule, changes) }),
      });
    },
  }),

  removeByRequest("DELETE /firewall-rules/:firewall_rule", {
    summary: "Deprovision a firewall rule",
    type: "firewall_rule",
    request: "deprovision_firewall_rule",
  }),

  showRecord("GET /firewall-rules/:firewall_rule", "Show a firewall rule", one(firewallRule), "firewallRule"),

  listRecords("GET /firewall-rules", "List firewall rules", list, "firewallRule"),

  listChildren(
    "GET /firewalls/:firewall/rules",
    "List a firewall's rules",
    list,
    "firewallRule",
    "firewall",
    "listRulesOfFirewall",
  ),
];
