import {
  DescribeAddressesCommand,
  DescribeVolumesCommand,
  DetachVolumeCommand,
  DisassociateAddressCommand,
} from "@aws-sdk/client-ec2";
import type { RequestType } from "@gantry/resources";
import { type Aws, kinds } from "@gantry/worker";
import type { OnAwsCall } from "./aws-interceptor.js";
import { sample } from "./sample.js";
import type { Scenario, ScenarioContext, Scenarios } from "./scenario.js";
import type { ScenarioRunner } from "./scenario-runner.js";
import { until } from "./until.js";

/** An object that existed before a scenario's Request. */
interface Existing {
  kind: string;
  id: string;
  params: unknown;
}

/** An object that calls of a scenario's Request name: the nth of its kind. */
interface Parent {
  kind: string;
  nth: number;
  /** True if the Request changes something with it, and does not remove it. */
  isNeeded: boolean;
}

const HOURS_OLD = 2;
const READS = /^(Describe|Get|List)/;
const REMOVALS = /^(Delete|Deregister|Detach|Disassociate|Release|Remove|Revoke|Terminate)/;

/**
 * Tests every scenario: if an object that its calls name was removed in AWS long after its creation, the Request ends
 * without waiting, and one that fails names the object. `npm test` draws a third of the scenarios.
 */
export function testGoneParents(scenarios: Scenarios, { run }: ScenarioRunner): void {
  const all = Object.entries(scenarios) as [RequestType, Scenario][];
  const drawn = sample(all, Math.ceil(all.length / 3), `gone parents of ${all.map(([type]) => type)}`);
  for (const [type, scenario] of drawn) {
    it(`ends ${type} at once if an object that its calls name is gone from AWS`, async () => {
      for (const { kind, nth, isNeeded } of await parentsOf(scenario)) {
        let gone: string[] = [];
        const prepare = async (context: ScenarioContext) => {
          const existing = await existingObjects(context);
          await age(context);
          gone = await removeOutside(context.aws, existing, existing.filter((each) => each.kind === kind)[nth]);
        };
        const { request, waits } = await run(scenario, () => {}, { prepare });
        const isNamed = gone.some((id) => request.message?.includes(id));
        const { successful, message } = request;
        expect({ kind, waits, message, isEnd: isNamed || (successful && !isNeeded) }).toEqual({
          kind,
          waits: [],
          message,
          isEnd: true,
        });
      }
    });
  }

  /** One object of each kind that calls of the scenario's Request name. */
  async function parentsOf(scenario: Scenario): Promise<Parent[]> {
    let existing: Existing[] = [];
    const operations = new Map<string, string[]>();
    const onCall: OnAwsCall = (_nth, side, command, { input }) => {
      if (side === "after") return;
      for (const text of textsIn(input)) operations.set(text, [...(operations.get(text) ?? []), command]);
    };
    const prepare = async (context: ScenarioContext) => {
      existing = await existingObjects(context);
    };
    await run(scenario, onCall, { prepare });
    const kindsOfAll = [...new Set(existing.map(({ kind }) => kind))];
    return kindsOfAll.flatMap((kind) => {
      const ofKind = existing.filter((each) => each.kind === kind);
      const nth = ofKind.findIndex(({ id }) => operations.has(id));
      if (nth < 0) return [];
      const calls = operations.get(ofKind[nth]?.id ?? "") ?? [];
      const isRemoved = calls.some((command) => REMOVALS.test(command));
      return [{ kind, nth, isNeeded: !isRemoved && calls.some((command) => !READS.test(command)) }];
    });
  }
}

/** The objects in the ledger and those that only records name, the oldest first. */
async function existingObjects({ db, customer: { accountId } }: ScenarioContext): Promise<Existing[]> {
  const living = { accountId, provisionedId: { not: null }, deletedAt: null };
  const [objects, servers, volumes] = await Promise.all([
    db.cloudObject.findMany({ where: { accountId, cloudId: { not: null }, removedAt: null }, orderBy: { seq: "asc" } }),
    db.server.findMany({ where: living, orderBy: { id: "asc" } }),
    db.volume.findMany({ where: living, orderBy: { id: "asc" } }),
  ]);
  const all = [
    ...objects.map(({ kind, cloudId, params }) => ({ kind, id: cloudId ?? "", params })),
    ...servers.map(({ provisionedId }) => ({ kind: "instance", id: provisionedId ?? "", params: {} })),
    ...volumes.map(({ provisionedId }) => ({ kind: "volume", id: provisionedId ?? "", params: {} })),
  ];
  return all.filter(
    ({ id }, index) => all.findIndex((each) => each.id === id && each.kind === all[index]?.kind) === index,
  );
}

/** Makes what an account has older than the time in which AWS may not show it yet. */
async function age({ db, customer: { accountId } }: ScenarioContext): Promise<void> {
  await db.$executeRaw`
    UPDATE cloud_objects SET attempted_at = attempted_at - make_interval(hours => ${HOURS_OLD}::int),
      ready_at = ready_at - make_interval(hours => ${HOURS_OLD}::int)
    WHERE account_id = ${accountId}::uuid`;
}

/** Removes an object in AWS behind Gantry's back, after those that need it, and returns the ids of all. */
async function removeOutside(aws: Aws, existing: Existing[], object: Existing | undefined): Promise<string[]> {
  if (!object) throw new Error("the scenario made fewer objects than before");
  const { kind, id, params } = object;
  const dependents = existing.filter((each) => each !== object && textsIn(each.params).includes(id)).reverse();
  const removed: string[] = [];
  await until(async () => {
    try {
      await kinds.get(kind)?.remove(aws, id, params);
      return true;
    } catch {
      await release(aws, object);
      for (const each of dependents.splice(0)) removed.push(...(await removeOutside(aws, existing, each)));
      return false;
    }
  });
  return [...removed, id];
}

/** Takes a volume or an address from its instance. */
async function release({ ec2 }: Aws, { kind, id }: Existing): Promise<void> {
  if (kind === "volume") {
    const { Volumes } = await ec2.send(new DescribeVolumesCommand({ VolumeIds: [id] }));
    const InstanceId = Volumes?.[0]?.Attachments?.[0]?.InstanceId;
    if (InstanceId) await ec2.send(new DetachVolumeCommand({ VolumeId: id, InstanceId, Force: true }));
  }
  if (kind === "address") {
    const { Addresses } = await ec2.send(new DescribeAddressesCommand({ AllocationIds: [id] }));
    const AssociationId = Addresses?.[0]?.AssociationId;
    if (AssociationId) await ec2.send(new DisassociateAddressCommand({ AssociationId }));
  }
}

/** The texts in parameters, and the parts of those that are lists. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return value.split(",");
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
