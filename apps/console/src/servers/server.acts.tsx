import applyServer from "operation:applyServer";
import deleteServer from "operation:deleteServer";
import modifyServer from "operation:modifyServer";
import patchServer from "operation:patchServer";
import rebootServer from "operation:rebootServer";
import reconcileServer from "operation:reconcileServer";
import snapshotServer from "operation:snapshotServer";
import startServer from "operation:startServer";
import stopServer from "operation:stopServer";
import type { Server } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { Camera, Cpu, Pencil, Play, RefreshCw, RotateCw, Square, Trash2, Wand } from "lucide-react";
import { flavorsQuery } from "../controls/choices.js";
import { flavorName } from "../controls/flavor-name.js";
import { nameOf } from "../controls/record-link.js";
import { More } from "../forms/more.js";
import { OperationButton } from "../forms/operation.button.js";

/** What can be done with a server. */
export function ServerActs({ server }: { server: Server }) {
  const { account } = useParams({ from: "/$account/servers/$id" });
  const provider = server.provider.split("/").at(-1) ?? "";
  const { data: flavors } = useQuery(flavorsQuery(provider, server.location));
  const { state } = server;
  const gone = server.deleted_at ? "The server is removed" : undefined;
  const unless = (...states: string[]) => gone ?? (states.includes(state) ? undefined : `The server is ${state}`);
  const shared = { account, ids: [server.id] };
  const has = unless("running", "stopped");
  return (
    <>
      {state === "stopped" ? (
        <OperationButton
          {...shared}
          operation={startServer}
          act="Start"
          icon={<Play aria-hidden />}
          impossible={gone}
        />
      ) : (
        <OperationButton
          {...shared}
          operation={stopServer}
          act="Stop"
          kind="danger"
          icon={<Square aria-hidden />}
          impossible={unless("running")}
        >
          <p>The server stops and keeps its volumes. It can be started again.</p>
          {server.pending && <p>Then it gets the flavor {flavorName(server.pending.flavor)}.</p>}
        </OperationButton>
      )}
      <OperationButton
        {...shared}
        operation={rebootServer}
        act="Reboot"
        icon={<RotateCw aria-hidden />}
        impossible={unless("running")}
      >
        <p>The server is away until its operating system has started again.</p>
      </OperationButton>
      <OperationButton
        {...shared}
        operation={modifyServer}
        act="Change flavor"
        icon={<Cpu aria-hidden />}
        record={{ flavor: flavorName(server.flavor), apply: "now" }}
        choices={{ "server.flavor": flavors }}
        labels={{ apply: "When" }}
        impossible={has}
      />
      <More>
        <OperationButton
          {...shared}
          operation={snapshotServer}
          act="Snapshot"
          icon={<Camera aria-hidden />}
          impossible={has}
        >
          <p>AWS copies each of the server's volumes. The server runs on.</p>
        </OperationButton>
        <OperationButton
          {...shared}
          operation={applyServer}
          act="Apply"
          icon={<Wand aria-hidden />}
          impossible={unless("running")}
        >
          <p>Gantry brings the server to its record: its SSH keys and tags. Then it reads the server from AWS.</p>
        </OperationButton>
        <OperationButton
          {...shared}
          operation={reconcileServer}
          act="Read from AWS"
          icon={<RefreshCw aria-hidden />}
          impossible={gone}
        >
          <p>Gantry reads the server from AWS and changes its record. Nothing in AWS changes.</p>
        </OperationButton>
        <OperationButton
          {...shared}
          operation={patchServer}
          act="Edit"
          icon={<Pencil aria-hidden />}
          record={server}
          impossible={gone}
        />
        <OperationButton
          {...shared}
          operation={deleteServer}
          act="Remove the server"
          kind="danger"
          icon={<Trash2 aria-hidden />}
          impossible={gone}
        >
          <p>
            Gantry terminates the instance {server.provisioned_id ?? ""} of {nameOf(server)} in AWS. Its snapshots stay.
          </p>
        </OperationButton>
      </More>
    </>
  );
}
