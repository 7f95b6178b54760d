import {
  type InputOf,
  type RequestType,
  type ResourceType,
  requestTypeDefinition,
  type requestTypes,
} from "@gantry/resources";
import type { Aws } from "../aws/clients.js";
import { kinds } from "../aws/kinds.js";
import type { Owner } from "../engine/ledger.js";
import { requireNoObstacles } from "../engine/obstacles.js";
import { type Stage, type StageContext, type Workflow, workflow } from "../engine/workflow.js";

/** The context of a stage in AWS, for Requests of any type. */
export type AwsStageContext = StageContext<Aws, unknown>;

export type AwsWorkflow<Name extends RequestType = RequestType> = Workflow<Aws, Name>;

type Owners<Name extends RequestType> = (
  context: Pick<StageContext<Aws, InputOf<Name>>, "db" | "resourceId" | "input" | "cloud">,
) => Promise<Owner[]>;

type RemovalOf<Name extends RequestType> = (typeof requestTypes)[Name] extends { removes: readonly string[] }
  ? {
      /** Returns the records whose objects the Request removes; "own record" if these are only the record that it removes. */
      removesObjectsOf: Owners<Name> | "own record";
    }
  : { removesObjectsOf?: never };

/**
 * Declares a workflow that works in AWS. One that removes objects first asks AWS what would refuse the removal of any of
 * them, and removes nothing then.
 */
export function awsWorkflow<Name extends RequestType>({
  removesObjectsOf,
  ...definition
}: Workflow<Aws, Name> & RemovalOf<Name>): AwsWorkflow<Name> {
  // The compiler does not follow the rest of a generic type.
  const declared = workflow<Aws>()(definition as unknown as Workflow<Aws, Name>);
  return removesObjectsOf ? askingFirst(declared, ownersFor(declared.type, removesObjectsOf)) : declared;
}

function ownersFor<Name extends RequestType>(type: Name, owners: Owners<Name> | "own record"): Owners<Name> {
  if (owners !== "own record") return owners;
  const { removesRecord } = requestTypeDefinition(type);
  if (!removesRecord) throw new Error(`${type} removes no record`);
  return ({ resourceId }) => Promise.resolve([{ type: removesRecord, id: resourceId }]);
}

// Every run of the first stage asks: it may wait for what was not in the way at first.
function askingFirst<Name extends RequestType>(declared: AwsWorkflow<Name>, owners: Owners<Name>): AwsWorkflow<Name> {
  const [first] = requestTypeDefinition(declared.type).stages;
  const stages: Record<string, Stage<Aws, InputOf<Name>>> = declared.stages;
  const stage = stages[first];
  if (!stage) throw new Error(`${declared.type} has no stage ${first}`);
  const asking: typeof stage = async (context) => {
    await requireNoObstacles(context, kinds, await owners(context));
    await stage(context);
  };
  return { ...declared, stages: { ...declared.stages, [first]: asking } };
}

/** Returns records of one type as owners of their objects. */
export function ownersOf(type: ResourceType, rows: { id: string | number }[]): Owner[] {
  return rows.map(({ id }) => ({ type, id: String(id) }));
}
