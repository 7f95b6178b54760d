import type { RequestType } from "@gantry/requests";
import type { Aws } from "../aws/clients.js";
import { type StageContext, type Workflow, workflow } from "../engine/workflow.js";

/** Declares a workflow that works in AWS. */
export const awsWorkflow = workflow<Aws>();

export type AwsWorkflow<Name extends RequestType = RequestType> = Workflow<Aws, Name>;

/** What a stage in AWS works with, whatever its Request's input is. */
export type AwsStageContext = StageContext<Aws, unknown>;
