import { endpoint } from "../../http/endpoint.js";
import { strict } from "../../http/input/input.js";
import { requested } from "../../http/reply/reply.js";
import { findIdleEnvironment } from "../environments/environment.rules.js";
import { prepareServers } from "../servers/server.creation.js";
import { standingServer } from "../servers/server.plan.js";
import { requireReachableReports } from "../servers/server.reports.js";
import { requireCreatableVolumes } from "../servers/server.volumes.js";
import { copiesOf } from "./scaling.copies.js";
import { findScaling, scaling } from "./scaling.rules.js";

const NONE = { serverIds: [], rows: [], planned: () => [] };

export const scalingEndpoints = [
  endpoint({
    route: "POST /environments/:environment/scale",
    summary: "Give an environment another number of servers, by role",
    body: strict({ environment: scaling }),
    transaction: true,
    reply: requested("scale_environment"),
    handle: async ({ params, body, caller, db, env, createRequest }) => {
      const environment = await findIdleEnvironment(caller, db, params.environment);
      const { id, accountId } = environment;
      const { growths, removed } = await findScaling({ caller, db }, environment, body.environment);
      const copies = await copiesOf(db, environment, { growths, subnetId: body.environment.subnet_id });
      if (copies.length > 0) requireReachableReports(env);
      for (const copy of copies) requireCreatableVolumes(copy);
      const { serverIds, rows, planned } = copies.length > 0 ? await prepareServers(db, environment, copies) : NONE;
      return createRequest("scale_environment", {
        accountId,
        resource: { type: "environment", id },
        input: { addedServerIds: serverIds, removedServerIds: removed.map((server) => server.id) },
        rows,
        planned: () => planned(env.SERVER_IMAGE_PARAMETER),
        removed: async () => {
          const isRemoved = { in: removed.map((server) => server.id) };
          const volumes = await db.volume.findMany({ where: { serverId: isRemoved, deletedAt: null } });
          return removed.map((server) =>
            standingServer(
              server,
              volumes.filter(({ serverId }) => serverId === server.id),
            ),
          );
        },
      });
    },
  }),
];
