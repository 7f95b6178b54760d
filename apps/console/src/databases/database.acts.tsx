import createDatabaseServer from "operation:createDatabaseServer";
import deleteDatabaseService from "operation:deleteDatabaseService";
import patchDatabaseService from "operation:patchDatabaseService";
import restoreDatabaseService from "operation:restoreDatabaseService";
import rotateDatabaseServiceCredentials from "operation:rotateDatabaseServiceCredentials";
import type { DatabaseServer, DatabaseService } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { CopyPlus, History, KeyRound, Pencil, Trash2 } from "lucide-react";
import { More } from "../forms/more.js";
import { OperationButton } from "../forms/operation.button.js";
import type { Values } from "../forms/values.js";
import { offersQuery } from "./database.queries.js";
import { choicesOf } from "./offers.js";

interface DatabaseActsProps {
  account: string;
  database: DatabaseService;
  master: DatabaseServer | undefined;
}

/** What can be done with a database as a whole. */
export function DatabaseActs({ account, database, master }: DatabaseActsProps) {
  const { id, name, engine } = database;
  const { data: offers } = useQuery(offersQuery(database.provider.split("/").at(-1) ?? "", database.location));
  const choices = (values: Values) =>
    offers ? choicesOf(offers, { ...values, "database_server.engine": engine }) : {};
  const gone = database.deleted_at ? "It is removed" : undefined;
  const shared = { account, ids: [id], impossible: gone };
  const source = master?.id;
  return (
    <>
      <OperationButton
        account={account}
        operation={createDatabaseServer}
        act="Add a replica"
        icon={<CopyPlus aria-hidden />}
        fixed={{ replication_source: source, "database_server.replication_source": undefined }}
        choices={choices}
        labels={{ "database_server.location": "Zone" }}
        impossible={gone ?? (master?.state === "available" ? undefined : "Its master is not available")}
      >
        <p>A replica copies the master and only reads.</p>
      </OperationButton>
      <OperationButton
        {...shared}
        operation={restoreDatabaseService}
        act="Restore"
        icon={<History aria-hidden />}
        choices={(values) => ({ ...choices(values), "restore.latest": [["true", "yes"]] })}
        labels={{
          "restore.time": "Time",
          "restore.latest": "The latest time",
          "restore.database_server_snapshot": "Snapshot",
          "database_server.location": "Zone",
        }}
        only={[
          "restore.latest",
          "restore.time",
          "restore.database_server_snapshot",
          "database_service.name",
          "database_server.flavor",
          "database_server.location",
        ]}
      >
        <p>A restore makes a new database from one of three: the latest time, a time, or a snapshot. {name} stays.</p>
      </OperationButton>
      <More>
        <OperationButton
          {...shared}
          operation={rotateDatabaseServiceCredentials}
          act="Rotate the password"
          icon={<KeyRound aria-hidden />}
        >
          <p>The master user gets a new password. Open connections stay; new ones need the new password.</p>
        </OperationButton>
        <OperationButton
          {...shared}
          operation={patchDatabaseService}
          act="Edit"
          icon={<Pencil aria-hidden />}
          record={database}
        />
        <OperationButton
          {...shared}
          operation={deleteDatabaseService}
          record={{ final_snapshot: true }}
          act="Remove the database"
          kind="danger"
          icon={<Trash2 aria-hidden />}
          confirm={name}
          impossible={gone ?? (database.deletion_protection ? "It is protected; edit it to lift that" : undefined)}
        >
          <p>
            The database goes, with its replicas and automatic backups. Its snapshots stay, and Gantry takes a last one
            of the master before.
          </p>
        </OperationButton>
      </More>
    </>
  );
}
