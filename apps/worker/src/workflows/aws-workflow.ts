import type { RequestType } from "@gantry/resources";
import type { Aws } from "../aws/clients.js";
import { type StageContext, type Workflow, workflow } from "../engine/workflow.js";

/** Declares a workflow that works in AWS. */
export const awsWorkflow = workflow<Aws>();

export type AwsWorkflow<Name extends RequestType = RequestType> = Workflow<Aws, Name>;

/** The context of a stage in AWS, for Requests of any type. */
export type AwsStageContext = StageContext<Aws, unknown>;
