import { contentsOfVpc } from "../../aws/ec2/vpc-contents.js";
import { kinds } from "../../aws/kinds.js";
import { awsWorkflow } from "../aws-workflow.js";
import { requireEmpty } from "./require-empty.js";

/** Removes a network with its gateway and route tables. The API accepts it only once the subnets are deleted. */
export const deprovisionNetwork = awsWorkflow({
  type: "deprovision_network",
  stages: {
    destroy: async (context) => {
      const { resourceId: id, db, cloud } = context;
      const { providerId, location: region, provisionedId } = await db.network.findUniqueOrThrow({ where: { id } });
      const scope = cloud({ providerId, region });
      await requireEmpty(context, scope, { type: "network", provisionedId, contents: contentsOfVpc });
      await db.network.updateMany({ where: { id, removalStartedAt: null }, data: { removalStartedAt: new Date() } });
      await scope.removeAll(kinds);
      await db.network.update({ where: { id }, data: { deletedAt: new Date() } });
    },
  },
});
