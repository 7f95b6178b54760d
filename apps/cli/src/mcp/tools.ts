import * as z from "zod";
import { listOperations } from "./operations.js";
import type { Plans } from "./plans.js";
import { find, getRecord, listRecords } from "./records.js";
import { cancelRequest, explainFailure, followRequest, readEvents } from "./requests.js";

/** A tool that agents call. It returns a text, and throws what `errorText` explains. */
export interface Tool {
  description: string;
  input: z.ZodObject;
  /** Reads, plans, or changes something in Gantry or AWS. */
  effect: "read" | "change";
  run(args: unknown, signal: AbortSignal | undefined): Promise<string> | string;
}

const text = z.string().min(1);
const id = text.describe("id or name");
const request = { id: text.describe("id of the Request") };
const cursor = text.optional();
const values = z.record(z.string(), z.unknown());

/** The tools by their names. */
export function toolsOf(plans: Plans): Record<string, Tool> {
  const { session } = plans;
  return {
    find: tool(
      "Search all collections for records by a part of the name, or by AWS id.",
      { words: text },
      "read",
      ({ words }) => find(session, words),
    ),
    list_records: tool(
      "List a collection, such as servers or requests; or, with part and id, what one record has, such as the part compute-flavors of a record of providers. list_operations COLLECTION names the parts, list_operations 'COLLECTION list' the filters. Fields without a value are left out.",
      { collection: text, part: text.optional(), id: id.optional(), filters: values.optional(), cursor },
      "read",
      (args) => listRecords(session, args),
    ),
    get_record: tool("Read one record.", { collection: text, id, cursor }, "read", (args) =>
      getRecord(session, args.collection, args.id, args.cursor),
    ),
    list_operations: tool(
      "What can be done: without a name, all collections; with a collection, its operations; with an operation such as 'networks create', the fields of its input.",
      { name: text.optional(), cursor },
      "read",
      ({ name, cursor: place }) => listOperations(name, place),
    ),
    make_plan: tool(
      "Plan a change without making it: what it would create and remove in AWS, its monthly cost, and the plan_id that run_plan needs. Secrets are not accepted.",
      {
        operation: text.describe("such as 'networks create'"),
        ids: z.array(id).optional().describe("the records it is about, in the order of list_operations"),
        input: values.optional().describe('such as {"network.cidr": "10.0.0.0/16"}'),
      },
      "read",
      ({ operation, ids = [], input = {} }) => plans.make(operation, ids, input),
    ),
    run_plan: tool(
      "Carry out a plan that make_plan showed. Refused if it would say something else now; repeated, it does nothing twice.",
      { plan_id: text },
      "change",
      (args) => plans.run(args.plan_id),
    ),
    follow_request: tool(
      "Wait for a Request's end, and show its state and events.",
      { ...request, wait_seconds: z.number().min(0).max(60).optional().describe("30 by default") },
      "read",
      (args, signal) => followRequest(session, args.id, args.wait_seconds ?? 30, signal),
    ),
    cancel_request: tool(
      "Cancel a Request: what it made is removed. Says what is left in AWS.",
      request,
      "change",
      (args, signal) => cancelRequest(session, args.id, signal),
    ),
    explain_failure: tool(
      "Explain a Request: what failed, what was tried, what is left in AWS, what to do.",
      { ...request, cursor },
      "read",
      (args) => explainFailure(session, args.id, args.cursor),
    ),
    read_events: tool(
      "Read an account's events after one of them, or from the oldest; after 'now' gives the newest place.",
      {
        after: text.optional(),
        types: z.array(text).optional().describe("such as request.failed"),
        account: id.optional(),
      },
      "read",
      (args) => readEvents(session, args),
    ),
  };
}

/** The effect of a plan is that of a read: nothing changes. */
function tool<Shape extends z.ZodRawShape>(
  description: string,
  shape: Shape,
  effect: Tool["effect"],
  run: (args: z.infer<z.ZodObject<Shape>>, signal: AbortSignal | undefined) => Promise<string> | string,
): Tool {
  const input = z.strictObject(shape);
  return { description, input, effect, run: (args, signal) => run(parsed(input, args), signal) };
}

/** @throws RangeError that names the argument */
function parsed<Schema extends z.ZodType>(schema: Schema, args: unknown): z.infer<Schema> {
  const { success, data, error } = schema.safeParse(args ?? {});
  if (success) return data;
  throw new RangeError(
    error.issues.map(({ path, message }) => [path.join("."), message].filter(Boolean).join(": ")).join("\n"),
  );
}
