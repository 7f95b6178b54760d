import type { Owner } from "../../engine/ledger.js";
import { type AwsStageContext, ownersOf } from "../aws-workflow.js";
import { independentVolumes } from "./server-volumes.js";

/** Returns the records whose objects the removal of servers removes: the servers, and the volumes created with them. */
export async function objectOwnersOf(db: AwsStageContext["db"], servers: { id: number }[]): Promise<Owner[]> {
  const volumes = await db.volume.findMany({
    where: { serverId: { in: servers.map(({ id }) => id) }, deletedAt: null },
  });
  const independent = await independentVolumes(db, volumes);
  return [
    ...ownersOf("server", servers),
    ...ownersOf(
      "volume",
      volumes.filter(({ id }) => !independent.has(id)),
    ),
  ];
}
