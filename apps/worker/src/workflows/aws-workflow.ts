import type { OperationName } from "@gantry/requests";
import type { Aws } from "../aws/clients.js";
import { type Workflow, workflow } from "../engine/workflow.js";

/** Declares a workflow that works in AWS. */
export const awsWorkflow = workflow<Aws>();

export type AwsWorkflow<Name extends OperationName = OperationName> = Workflow<Aws, Name>;
