import createDatabaseServerSnapshot from "operation:createDatabaseServerSnapshot";
import deleteDatabaseServer from "operation:deleteDatabaseServer";
import modifyDatabaseServer from "operation:modifyDatabaseServer";
import promoteDatabaseServer from "operation:promoteDatabaseServer";
import rebootDatabaseServer from "operation:rebootDatabaseServer";
import startDatabaseServer from "operation:startDatabaseServer";
import stopDatabaseServer from "operation:stopDatabaseServer";
import type { DatabaseServer } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import {
  ArrowUpFromLine,
  CalendarClock,
  Camera,
  Play,
  RotateCw,
  SlidersHorizontal,
  Square,
  Trash2,
} from "lucide-react";
import { More } from "../forms/more.js";
import { OperationButton } from "../forms/operation.button.js";
import { offersQuery } from "./database.queries.js";
import { choicesOf, regionOf } from "./offers.js";

const WINDOWS = {
  "database_server.backup_window.start_time.hour": "Backups begin: hour",
  "database_server.backup_window.start_time.minute": "Backups begin: minute",
  "database_server.backup_window.duration": "Backups: hours",
  "database_server.preferred_maintenance_window.start.day": "Maintenance begins: day",
  "database_server.preferred_maintenance_window.start.hour": "Maintenance begins: hour",
  "database_server.preferred_maintenance_window.start.minute": "Maintenance begins: minute",
  "database_server.preferred_maintenance_window.end.day": "Maintenance ends: day",
  "database_server.preferred_maintenance_window.end.hour": "Maintenance ends: hour",
  "database_server.preferred_maintenance_window.end.minute": "Maintenance ends: minute",
};

/** What can be done with a database server. */
export function DatabaseServerActs({ account, server }: { account: string; server: DatabaseServer }) {
  const { id, engine, location, state, replication_source: source, deleted_at } = server;
  const { data: offers } = useQuery(offersQuery(server.provider.split("/").at(-1) ?? "", regionOf(location)));
  const gone = deleted_at ? "It is removed" : undefined;
  const away = gone ?? (state === "available" ? undefined : `It is ${state}`);
  const shared = { account, ids: [id] };
  const window = server.preferred_maintenance_window;
  return (
    <>
      <OperationButton
        {...shared}
        operation={modifyDatabaseServer}
        act="Modify"
        icon={<SlidersHorizontal aria-hidden />}
        record={{ ...server, multi_az: server.modifiers.multi_az }}
        choices={offers ? choicesOf(offers, { "database_server.engine": engine }) : {}}
        only={[
          "database_server.flavor",
          "database_server.version",
          "database_server.storage",
          "database_server.storage_type",
          "database_server.iops",
          "database_server.multi_az",
          "database_server.backup_retention_period",
          "database_server.certificate_authority",
          "apply",
        ]}
        labels={{
          "database_server.storage": "Storage in GB",
          "database_server.multi_az": "A copy in another zone",
          "database_server.backup_retention_period": "Days that backups are kept",
          apply: "When",
        }}
        impossible={away}
      >
        <p>
          The plan says what each change does and for how long the database is away. The next maintenance begins on{" "}
          {window.start.day} at {window.start.hour}:{window.start.minute} UTC.
        </p>
      </OperationButton>
      <OperationButton
        {...shared}
        operation={createDatabaseServerSnapshot}
        act="Take a snapshot"
        icon={<Camera aria-hidden />}
        impossible={away}
      />
      <OperationButton
        {...shared}
        operation={rebootDatabaseServer}
        act="Reboot"
        icon={<RotateCw aria-hidden />}
        labels={{ "database_server.failover": "The copy in the other zone takes over" }}
        impossible={away}
      />
      <More>
        <OperationButton
          {...shared}
          operation={modifyDatabaseServer}
          act="Change the windows"
          icon={<CalendarClock aria-hidden />}
          only={Object.keys(WINDOWS)}
          labels={WINDOWS}
          impossible={away}
        >
          <p>Fill in the window that changes as a whole. Times are UTC, such as hour 03 and minute 30.</p>
        </OperationButton>
        {state === "stopped" ? (
          <OperationButton {...shared} operation={startDatabaseServer} act="Start" icon={<Play aria-hidden />} />
        ) : (
          <OperationButton
            {...shared}
            operation={stopDatabaseServer}
            act="Stop"
            icon={<Square aria-hidden />}
            impossible={away ?? (source ? "RDS stops no replica" : undefined)}
          >
            <p>RDS starts it again after seven days. Its storage and backups cost money until then.</p>
          </OperationButton>
        )}
        {source && (
          <>
            <OperationButton
              {...shared}
              operation={promoteDatabaseServer}
              act="Promote"
              icon={<ArrowUpFromLine aria-hidden />}
              impossible={away}
            >
              <p>
                The replica becomes the master of a new database with its own password and firewall. Nothing undoes
                this.
              </p>
            </OperationButton>
            <OperationButton
              {...shared}
              operation={deleteDatabaseServer}
              act="Remove the replica"
              kind="danger"
              icon={<Trash2 aria-hidden />}
              impossible={gone}
            >
              <p>The replica goes. The master and the snapshots stay.</p>
            </OperationButton>
          </>
        )}
      </More>
    </>
  );
}
