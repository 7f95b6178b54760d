import type { DatabaseServer } from "@gantry/db";
import type { PlannedResource } from "../../http/plans/planned-resource.js";

type Attributes = Pick<
  DatabaseServer,
  "region" | "location" | "flavor" | "engine" | "version" | "multiAz" | "storageGb" | "storageType"
> &
  Partial<Pick<DatabaseServer, "iops">>;

/** A new database server as a resource of a plan. */
export function plannedDatabaseServer(row: Attributes): PlannedResource {
  const { region, location: zone, flavor, engine, version, multiAz, storageGb, storageType, iops } = row;
  return {
    ...{ kind: "database_server", count: 1, region, zone, flavor, engine, version },
    multi_az: multiAz,
    volumes: [{ name: "storage", type: storageType, size_gb: storageGb, ...(iops != null && { iops }) }],
  };
}
