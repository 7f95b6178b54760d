import { removedRecords } from "@gantry/api";
import { type Db, Prisma, tableOf } from "@gantry/db";
import {
  modelOf,
  type RequestType,
  type ResourceType,
  requestTypeDefinition,
  resources,
  resourceTypes,
} from "@gantry/resources";
import { scenarios } from "../../apps/worker/src/workflows/all.scenarios.js";
import { serverWithVolume } from "../../apps/worker/src/workflows/volumes/volumes.scenarios.js";
import type { Scenario } from "../support/scenario.js";
import { scenarioRunner } from "../support/scenario-runner.js";
import { createRequestOf } from "../support/work.js";

const { run } = scenarioRunner({ callbacks: true });

const removals = (Object.entries(scenarios) as [RequestType, Scenario][]).filter(([type]) => {
  const { removesRecord, removesToo, removesEach } = requestTypeDefinition(type);
  return removesRecord ?? removesToo ?? removesEach;
});

/** A server with a volume that was attached later, and so stays. */
const withAttachedVolume: Scenario = {
  createRequest: async (context) => {
    const { server } = await serverWithVolume(context);
    return createRequestOf(
      context.db,
      context.customer,
      "deprovision_server",
      { type: "server", id: server.id },
      { force: false },
    );
  },
  afterSuccess: {},
};

it.each([...removals, ["deprovision_server", withAttachedVolume] as const])(
  "a plan of %s names the records that the Request then removes, and no other",
  async (type, scenario) => {
    let before = new Set<string>();
    let planned: Awaited<ReturnType<typeof removedRecords>> = [];
    let db: Db | undefined;
    const { request, accountId } = await run(scenario, () => {}, {
      prepare: async (context) => {
        db = context.db;
        const { accountId } = context.customer;
        before = await deletedIn(db, accountId);
        const { resourceType, resourceId, input } = await db.request.findFirstOrThrow({
          where: { accountId, type, finishedAt: null },
        });
        const resource = { type: resourceType as ResourceType, id: String(resourceId) };
        planned = await removedRecords(db, type, { resource, input: input as object });
      },
    });
    expect(request.successful).toBe(true);
    const removed = [...(await deletedIn(db as Db, accountId))].filter((record) => !before.has(record));
    const isOfRules = requestTypeDefinition(type).removesRecord === "firewall_rule";
    const named = removed.filter((record) => isOfRules || !record.startsWith("firewall_rule/"));
    expect(planned.map(({ type, id }) => `${type}/${id}`).sort()).toEqual(named.sort());
    expect(planned.length).toBeGreaterThan(0);
  },
);

/** The deleted records of an account. */
async function deletedIn(db: Db, accountId: string): Promise<Set<string>> {
  const types = resourceTypes.filter((type) => resources[type].deletable !== false);
  const selects = types.map(
    (type) => Prisma.sql`SELECT ${`${type}/`}::text || id::text AS record FROM ${Prisma.raw(tableOf(modelOf(type)))}
      WHERE account_id = ${accountId}::uuid AND deleted_at IS NOT NULL`,
  );
  const rows = await db.$queryRaw<{ record: string }[]>`${Prisma.join(selects, " UNION ALL ")}`;
  return new Set(rows.map(({ record }) => record));
}
