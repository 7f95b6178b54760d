import type { Inventory } from "@gantry/local-stack";
import { type RequestType, requestTypeDefinition } from "@gantry/resources";
import { aws } from "@gantry/test/support/account";
import { requestDatabaseService } from "@gantry/test/support/databases";
import type { Scenario, ScenarioContext } from "@gantry/test/support/scenario";
import { scenarioRunner } from "@gantry/test/support/scenario-runner";
import { createRequestOf, requestIamRole } from "@gantry/test/support/work";
import { kinds } from "../aws/kinds.js";
import { rootSnapshotScenarios, scenarios } from "./all.scenarios.js";
import { putObstacle } from "./obstacles.scenarios.js";

const runner = scenarioRunner({ callbacks: true });

type CreateRequest = Scenario["createRequest"];

/** Scenarios with objects that the others of their type lack. */
const further: [string, RequestType, CreateRequest][] = [
  ["of a root snapshot", "deprovision_server", rootSnapshotScenarios.deprovision_server.createRequest],
  [
    "with a policy of its own",
    "deprovision_iam_role",
    async ({ db, customer, finishRequests }) => {
      const { id } = await requestIamRole(db, customer, { userManagedPolicy: true });
      await finishRequests();
      return createRequestOf(db, customer, "deprovision_iam_role", { type: "iam_role", id }, {});
    },
  ],
  [
    "of a cluster",
    "deprovision_database_service",
    async ({ db, env, customer, finishRequests }) => {
      const aurora = { engine: "aurora", version: "5.6.10a", flavor: "db.r3.large" };
      const { id } = await requestDatabaseService(db, env, customer, aurora);
      await finishRequests();
      const resource = { type: "database_service", id } as const;
      return createRequestOf(db, customer, "deprovision_database_service", resource, { finalSnapshotId: null });
    },
  ],
];

const removesOf = (type: RequestType) => requestTypeDefinition(type).removes ?? [];
const canBeRefused = (kind: string) => kinds.get(kind)?.obstacles !== "none";

const removals: [string, RequestType, CreateRequest][] = [
  ...(Object.entries(scenarios) as [RequestType, Scenario][])
    .filter(([type]) => removesOf(type).some(canBeRefused))
    .map(([type, { createRequest }]): [string, RequestType, CreateRequest] => ["", type, createRequest]),
  ...further,
];

/** The records that children of a Request remove, with the volumes of servers, as types and ids. */
async function removedByChildren(db: ScenarioContext["db"], type: RequestType, input: object): Promise<string[]> {
  const { removesEach = {}, uses = {} } = requestTypeDefinition(type);
  const ids = Object.keys(removesEach).flatMap((field) => (input as Record<string, number[]>)[field] ?? []);
  const volumes = await db.volume.findMany({ where: { serverId: { in: ids } } });
  return [
    ...Object.keys(removesEach).flatMap((field) => ids.map((id) => `${uses[field]}/${id}`)),
    ...volumes.map(({ id }) => `volume/${id}`),
  ];
}

const covered = new Set<string>();

it.each(removals)(
  "%s %s removes nothing that AWS would refuse, and names what is in the way",
  async (_, type, createRequest) => {
    const inTheWay: string[] = [];
    let before: Inventory | undefined;
    let inventory: () => Promise<Inventory> = () => Promise.reject(new Error("not run"));
    const scenario: Scenario = {
      afterSuccess: {},
      createRequest: async (context) => {
        const { db, customer } = context;
        const requestId = await createRequest(context);
        const { input, resourceId } = await db.request.findUniqueOrThrow({ where: { id: requestId } });
        const rows = await db.cloudObject.findMany({ where: { accountId: customer.accountId, removedAt: null } });
        const removed = await removedByChildren(db, type, input as object);
        const ofChildren = rows.filter((row) => removed.includes(`${row.resourceType}/${row.resourceId}`));
        const ofRecord = rows.filter((row) => row.resourceId === resourceId);
        const objects = [...ofChildren, ...ofRecord, ...rows, input as { kind?: string; cloudId?: string }];
        for (const kind of removesOf(type).filter(canBeRefused)) {
          const id = objects.find((each) => each.kind === kind)?.cloudId;
          if (!id) continue;
          covered.add(kind);
          inTheWay.push(...((await putObstacle[kind]?.(context.aws, id, customer)) ?? [`an obstacle of kind ${kind}`]));
        }
        inventory = () => aws.inventory(customer.awsAccount);
        before = await inventory();
        return requestId;
      },
    };
    const { request, calls } = await runner.run(scenario, () => {});
    const message = request.message ?? "";
    expect({
      successful: request.successful,
      message,
      missing: inTheWay.filter((name) => !message.includes(name)),
    }).toEqual({
      successful: false,
      message: expect.stringMatching(/^AWS would refuse this removal: /),
      missing: [],
    });
    expect(inTheWay).not.toEqual([]);
    expect(calls.filter(({ operation }) => !/^(Describe|List|Get)/.test(operation))).toEqual([]);
    expect(await inventory()).toEqual(before);
  },
);

it("puts something in the way of every kind of object whose removal AWS may refuse", () => {
  const refusable = [...kinds.keys()].filter(canBeRefused);
  // Earlier versions created parameter groups; no scenario does.
  expect([...covered].sort()).toEqual(refusable.filter((kind) => kind !== "db_parameter_group").sort());
});
