import { Prisma } from "@gantry/db";
import { describeInstance, isTerminated } from "../aws/ec2/describe-instance.js";
import { describeVolume } from "../aws/ec2/volume.js";
import { describeDbInstance, endpointOf } from "../aws/rds/instance-state.js";
import { taggedKinds } from "../aws/tagged-objects.js";
import { orphanStep } from "./orphan-step.js";
import { type RecordKind, recordStep } from "./record-step.js";
import type { ScanStep } from "./scan-step.js";

const recordKinds: readonly RecordKind[] = [
  {
    kind: "instance",
    type: "server",
    table: "servers",
    idType: "integer",
    columns: ["state", "private_hostname", "public_hostname"],
    gone: "terminated",
    workedOnBy: Prisma.sql`('server', t.id::text)`,
    async describe(aws, cloudId) {
      const seen = await describeInstance(cloudId)(aws);
      if (!seen || isTerminated(seen)) return undefined;
      return { state: seen.state, private_hostname: seen.privateHostname, public_hostname: seen.publicHostname };
    },
  },
  {
    kind: "volume",
    type: "volume",
    table: "volumes",
    idType: "integer",
    columns: ["state"],
    gone: "deleted",
    workedOnBy: Prisma.sql`('volume', t.id::text), ('server', t.server_id::text)`,
    async describe(aws, cloudId) {
      const seen = await describeVolume(cloudId)(aws);
      return seen && !/^delet/.test(seen.state) ? { state: seen.state } : undefined;
    },
  },
  {
    kind: "db_instance",
    type: "database_server",
    table: "database_servers",
    idType: "uuid",
    columns: ["state", "endpoint"],
    reads: ["engine"],
    gone: "deleted",
    workedOnBy: Prisma.sql`('database_server', t.id::text), ('database_service', t.database_service_id::text)`,
    async describe(aws, cloudId, { engine, endpoint = null }) {
      const seen = await describeDbInstance(cloudId)(aws);
      if (!seen || seen.status === "deleting") return undefined;
      if (!seen.address) return { state: seen.status, endpoint };
      return { state: seen.status, endpoint: endpointOf(engine ?? "", seen) };
    },
  },
];

/** The steps of a scan, in this order. */
export const scanSteps: readonly ScanStep[] = [...recordKinds.map(recordStep), ...taggedKinds.map(orphanStep)];
