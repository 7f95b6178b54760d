import { createRequest } from "@gantry/requests";
import { type RequestType, requestTypeDefinition } from "@gantry/resources";
import { v7 as uuidv7 } from "uuid";
import {
  assertNotBeingRemoved,
  assertRemovable,
  lockConflicts,
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
    const { accountId, resource, input, rows = [], planned, changes, warnings = [], extraFields = {} } = options;
    const { hideRequest = false } = options;
    const checks = !options.conflictsChecked;
    if (checks && db === appContext.db)
      throw new Error(`the conflicts of ${type} must be checked inside a transaction`);
    if (checks) await lockConflicts(db, type, accountId);
    await assertRemovable(db, type, { accountId, resource });
    const ahead = isDryRun ? 0 : await appContext.unfinishedRequests.take(db, accountId);
    const id = uuidv7();
    const inserts = typeof rows === "function" ? rows(id) : [...rows];
    if (endpoint.reply.requestTypes) {
      if (key) inserts.push(key.forRequest(id, accountId, hideRequest ? undefined : extraFields));
      inserts.push(record.insert({ accountId, subject: `${resource.type}/${resource.id}`, requestId: id }));
    } else record.note({ requestId: id });
    const user = identity && { userId: identity.user.id };
    const newRequest = { id, type, accountId, ...user, resource, input, traceId: locals.traceId as string };
    const request = await createRequest(db, newRequest, inserts);
    if (checks) await assertNotBeingRemoved(db, type, { resource, input });
    if (isDryRun)
      return {
        plan: {
          ...planOf(type),
          ...(removesSomething(type) && { removes_records: await removedRecords(db, type, resource) }),
          ...(warnings.length > 0 && { warnings: [...warnings] }),
          ...(planned && costsOf(await planned())),
          ...(changes && changesOf(await changes())),
        },
      };
    afterCommit.accepted.push({ ...request, ahead });
    return { request, extraFields, hideRequest };
  };
}

function planOf(type: RequestType): Plan {
  const { stages, children = [], creates = [], removes = [] } = requestTypeDefinition(type);
  return { stages: [...stages], requests: [type, ...children], creates: [...creates], removes: [...removes] };
}

function costsOf(planned: PlannedResource[]): Pick<Plan, "resources" | "estimate" | "estimate_note"> {
  const resources = groupEqual(planned);
  return { resources, ...estimate(resources) };
}

function changesOf({ changes, before, after }: ChangeInPlace): Pick<Plan, "changes" | "estimate" | "estimate_note"> {
  return { changes, ...(before && estimateOfChange(before, after)) };
}
