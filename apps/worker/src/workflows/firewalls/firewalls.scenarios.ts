import type { Firewall } from "@gantry/db";
import { createEnvironment, createFirewall } from "@gantry/test/support/api";
import type { Scenarios, Stage } from "@gantry/test/support/scenario";
import { open } from "@gantry/test/support/work";

const PUBLIC_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB3xJx3I+VjEXhSJmBxWd+o3wIwd1DoziEe1EvGbhLqR";
const STANDING = { security_group: 1, key_pair: 1 };

/** The firewall of a new environment, not made yet. */
export async function newFirewall({ db, customer }: Pick<Stage, "db" | "customer">): Promise<Firewall> {
  const environment = await createEnvironment(db, customer.provider, { internalPublicKey: PUBLIC_KEY });
  return createFirewall(db, environment, { provisionedId: null });
}

export function openDefaultFirewall({ db, customer }: Pick<Stage, "db" | "customer">, { id }: Firewall) {
  return open(db, customer, "provision_default_firewall", { type: "firewall", id }, {});
}

async function standingFirewall(stage: Stage): Promise<Firewall> {
  const firewall = await newFirewall(stage);
  await openDefaultFirewall(stage, firewall);
  await stage.settle();
  return firewall;
}

/** A rule that is not made yet. */
async function newRule(stage: Stage) {
  const { id: firewallId, accountId } = await standingFirewall(stage);
  const rule = { accountId, firewallId, source: "192.0.2.0/24", portRange: "22", protocol: "tcp" };
  const { id } = await stage.db.firewallRule.create({ data: rule });
  return { type: "firewall_rule", id } as const;
}

export const firewallScenarios = {
  provision_default_firewall: {
    open: async (stage) => openDefaultFirewall(stage, await newFirewall(stage)),
    afterSuccess: { ...STANDING, security_group_rule: 4 },
    afterFailure: {},
  },
  provision_firewall_rule: {
    open: async (stage) => open(stage.db, stage.customer, "provision_firewall_rule", await newRule(stage), {}),
    afterSuccess: { ...STANDING, security_group_rule: 5 },
    afterFailure: { ...STANDING, security_group_rule: 4 },
  },
  deprovision_firewall_rule: {
    open: async (stage) => {
      const rule = await newRule(stage);
      await open(stage.db, stage.customer, "provision_firewall_rule", rule, {});
      await stage.settle();
      return open(stage.db, stage.customer, "deprovision_firewall_rule", rule, {});
    },
    afterSuccess: { ...STANDING, security_group_rule: 4 },
  },
} satisfies Scenarios;
