import applyEnvironment from "operation:applyEnvironment";
import bootEnvironment from "operation:bootEnvironment";
import createEnvironmentBlueprint from "operation:createEnvironmentBlueprint";
import deleteEnvironment from "operation:deleteEnvironment";
import deprovisionEnvironment from "operation:deprovisionEnvironment";
import patchEnvironment from "operation:patchEnvironment";
import type { Environment, Server } from "@gantry/client";
import { Link } from "@tanstack/react-router";
import { Eraser, Pencil, Play, RefreshCw, Save, Trash2 } from "lucide-react";
import buttons from "../controls/button.module.css";
import { useRefusal } from "../forms/may.js";
import { More } from "../forms/more.js";
import { OperationButton } from "../forms/operation.button.js";
import { ScaleButton } from "./scale.button.js";

interface EnvironmentActsProps {
  account: string;
  environment: Environment;
  servers: readonly Server[];
}

/** What can be done with an environment as a whole. */
export function EnvironmentActs({ account, environment, servers }: EnvironmentActsProps) {
  const { id, name } = environment;
  const refusal = useRefusal(account, bootEnvironment);
  const gone = environment.deleted_at ? "It is removed" : undefined;
  const empty = gone ?? (servers.length === 0 ? "It has no servers" : undefined);
  const shared = { account, ids: [id] };
  return (
    <>
      {servers.length === 0 && !gone && !refusal && (
        <Link
          to="/$account/environments/$id/boot"
          params={{ account, id: String(id) }}
          className={`${buttons.button} ${buttons.primary}`}
        >
          <Play aria-hidden /> Boot
        </Link>
      )}
      <ScaleButton account={account} environment={environment} servers={servers} impossible={empty} />
      <OperationButton
        {...shared}
        operation={applyEnvironment}
        act="Apply"
        icon={<RefreshCw aria-hidden />}
        impossible={empty}
      >
        <p>Gantry gives the servers what their records say, and updates the records from AWS.</p>
      </OperationButton>
      <More>
        <OperationButton
          {...shared}
          operation={createEnvironmentBlueprint}
          act="Save as blueprint"
          icon={<Save aria-hidden />}
          impossible={empty}
        >
          <p>A blueprint keeps the roles, flavors and volumes of the servers, to boot others like them.</p>
        </OperationButton>
        <OperationButton
          {...shared}
          operation={patchEnvironment}
          act="Edit"
          icon={<Pencil aria-hidden />}
          record={environment}
          impossible={gone}
        />
        <OperationButton
          {...shared}
          operation={deprovisionEnvironment}
          act="Remove the servers"
          kind="danger"
          icon={<Eraser aria-hidden />}
          confirm={name}
          impossible={empty}
        >
          <p>
            The servers of {name} go, with their volumes. The environment and its snapshots stay: you can boot it again.
          </p>
        </OperationButton>
        <OperationButton
          {...shared}
          operation={deleteEnvironment}
          act="Remove the environment"
          kind="danger"
          icon={<Trash2 aria-hidden />}
          confirm={name}
          impossible={gone}
        >
          <p>
            The environment goes, with its servers, volumes and snapshots. Its network, application and databases stay.
            This cannot be undone.
          </p>
        </OperationButton>
      </More>
    </>
  );
}
