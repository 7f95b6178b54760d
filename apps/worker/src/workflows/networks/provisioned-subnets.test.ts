import { randomUUID } from "node:crypto";
import { createNetwork, createProvider, createSubnet } from "@gantry/test/support/api";
import { startEngineTest } from "@gantry/test/support/engine-test";
import { fencedDb } from "../../engine/fenced-db.js";
import { provisionedSubnetIds } from "./provisioned-subnets.js";

const { database, account } = await startEngineTest();

it("leaves out the subnets of a network whose removal has begun, and those that AWS does not have", async () => {
  const { db } = database;
  const network = await createNetwork(db, await createProvider(db, account.accountId));
  await createSubnet(db, network, { provisionedId: "subnet-kept" });
  await createSubnet(db, network, { cidr: "10.0.1.0/24", removalStartedAt: new Date() });
  await createSubnet(db, network, { cidr: "10.0.2.0/24", deletedAt: new Date() });
  await createSubnet(db, network, { cidr: "10.0.3.0/24", provisionedId: null });
  const fenced = fencedDb(db, { id: randomUUID(), fence: 0 });
  expect(await provisionedSubnetIds(fenced, network.id)).toEqual(["subnet-kept"]);
});
