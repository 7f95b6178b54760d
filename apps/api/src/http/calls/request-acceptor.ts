import { createRequest } from "@gantry/requests";
import { type RequestType, requestTypeDefinition } from "@gantry/resources";
import { v7 as uuidv7 } from "uuid";
import {
  assertNotBeingRemoved,
  assertRemovable,
  lockConflicts,
  removalsBy,
  removesSomething,
} from "../conflicts/request-conflicts.js";
import { estimate, estimateOfChange } from "../plans/estimate.js";
import { groupEqual, type PlannedResource } from "../plans/planned-resource.js";
import { removedRecords } from "../plans/removed-records.js";
import type { ChangeInPlace, CreateRequest, Plan } from "../plans/requested.js";
import type { Call } from "./call.js";
import type { CallRecord } from "./call-record.js";
import type { Attempt } from "./transaction.js";

/**
 * The function by which a handler accepts a Request: one statement writes the Request, the resource, the key and the
 * audit record. It checks for conflicts before and after, and throws 409; a dry run checks the same.
 */
export function requestAcceptor(call: Call, { db, afterCommit }: Attempt, record: CallRecord): CreateRequest {
  const { endpoint, appContext, identity, locals, isDryRun, key } = call;
  return async (type, options) => {
    const { accountId, resource, input, rows = [], planned, removed, changes, warnings = [] } = options;
    const { extraFields = {}, hideRequest = false } = options;
    const checks = !options.conflictsChecked;
    if (checks && db === appContext.db)
      throw new Error(`the conflicts of ${type} must be checked inside a transaction`);
    const removals = removalsBy(type, { resource, input });
    const types = removals.map((removal) => removal.type);
    if (checks) await lockConflicts(db, types, accountId);
    for (const { type, resource } of removals) await assertRemovable(db, type, { accountId, resource });
    const ahead = isDryRun ? 0 : await appContext.unfinishedRequests.take(db, accountId);
    const id = uuidv7();
    const inserts = typeof rows === "function" ? rows(id) : [...rows];
    if (endpoint.reply.requestTypes) {
      if (key) inserts.push(key.forRequest(id, accountId, hideRequest ? undefined : extraFields));
      inserts.push(record.insert({ accountId, subject: `${resource.type}/${resource.id}`, requestId: id }));
    } else record.note({ requestId: id });
    const user = identity && { userId: identity.user.id, userIsService: identity.user.service };
    const newRequest = { id, type, accountId, ...user, resource, input, traceId: locals.traceId as string };
    const request = await createRequest(db, newRequest, inserts);
    if (checks) await assertNotBeingRemoved(db, type, { id, resource, input });
    if (isDryRun)
      return {
        plan: {
          ...planOf(type, removals.length > 1),
          ...(types.some(removesSomething) && { removes_records: await removedRecords(db, type, { resource, input }) }),
          ...(warnings.length > 0 && { warnings: [...warnings] }),
          ...(planned && costsOf(await planned(), await removed?.())),
          ...(changes && changesOf(await changes())),
        },
      };
    afterCommit.accepted.push({ ...request, ahead });
    return { request, extraFields, hideRequest };
  };
}

/** @param removesByChildren whether children remove something, if the type has it depend on the input */
function planOf(type: RequestType, removesByChildren: boolean): Plan {
  const { stages, children = [], creates = [], removes: kinds = [], removesEach } = requestTypeDefinition(type);
  const removes = removesEach && !removesByChildren ? [] : [...kinds];
  return { stages: [...stages], requests: [type, ...children], creates: [...creates], removes };
}

function costsOf(
  planned: PlannedResource[],
  removed?: PlannedResource[],
): Pick<Plan, "resources" | "estimate" | "estimate_note"> & Partial<Pick<Plan, "creates">> {
  const resources = groupEqual(planned);
  if (!removed) return { resources, ...estimate(resources) };
  return { ...(planned.length === 0 && { creates: [] }), resources, ...estimateOfChange(removed, resources) };
}

function changesOf({ changes, before, after }: ChangeInPlace): Pick<Plan, "changes" | "estimate" | "estimate_note"> {
  return { changes, ...(before && estimateOfChange([before], [after])) };
}
