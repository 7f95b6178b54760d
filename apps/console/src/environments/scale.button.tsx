import scaleEnvironment from "operation:scaleEnvironment";
import type { Environment, Server } from "@gantry/client";
import { Scaling } from "lucide-react";
import { useState } from "react";
import { Check } from "../controls/field.js";
import { OperationButton } from "../forms/operation.button.js";

const ROLES = ["app", "db_slave", "util"] as const;

interface ScaleButtonProps {
  account: string;
  environment: Environment;
  servers: readonly Server[];
  impossible: string | undefined;
}

/** Adds servers of a role, or removes those that a person chooses. */
export function ScaleButton({ account, environment, servers, impossible }: ScaleButtonProps) {
  const [chosen, setChosen] = useState<readonly number[]>([]);
  const removable = servers.filter(({ role }) => (ROLES as readonly string[]).includes(role));
  const now = Object.fromEntries(ROLES.map((role) => [role, servers.filter((server) => server.role === role).length]));
  const toggle = (id: number) =>
    setChosen(chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen, id]);
  return (
    <OperationButton
      account={account}
      ids={[environment.id]}
      operation={scaleEnvironment}
      act="Scale"
      icon={<Scaling aria-hidden />}
      impossible={impossible}
      record={now}
      fixed={chosen.length > 0 ? { "environment.remove": chosen } : {}}
      only={ROLES.map((role) => `environment.roles.${role}`)}
      labels={{
        "environment.roles.app": "Application servers",
        "environment.roles.db_slave": "Database replicas",
        "environment.roles.util": "Utility servers",
      }}
    >
      <p>Say how many servers each role gets. If one gets fewer, its newest servers go, or those that you choose.</p>
      {removable.length > 0 && (
        <fieldset>
          <legend>Servers that go</legend>
          {removable.map(({ id, name, role }) => (
            <Check
              key={id}
              label={`${name ?? id} (${role.replaceAll("_", " ")})`}
              checked={chosen.includes(id)}
              onChange={() => toggle(id)}
            />
          ))}
        </fieldset>
      )}
    </OperationButton>
  );
}
