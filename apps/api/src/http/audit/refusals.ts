import type { ErrorRequestHandler } from "express";
import type { Caller } from "../auth/caller.js";
import type { AppContext } from "../context.js";
import { HttpError } from "../errors/errors.js";
import { auditOf } from "./audit.js";

/** Records each refused permission and each failed sign-in, before the answer. The answer is the same if that fails. */
export function recordRefusals({ db, log }: Pick<AppContext, "db" | "log">): ErrorRequestHandler {
  return async (error, input, res, next) => {
    const isRefusal = error instanceof HttpError && (error.status === 403 || error.extras.failedSignIn);
    if (isRefusal) {
      const found = (res.locals.caller as Caller | undefined)?.lastFound;
      const entry = {
        accountId: found?.accountId ?? null,
        subject: found ? `${found.model}/${found.id}` : (error.extras.failedSignIn ?? null),
        action: `${input.method} ${input.route?.path ?? input.path}`,
        status: error.status,
      };
      await auditOf(input, res.locals)
        .write(db, entry)
        .catch((err: unknown) => log.error({ trace_id: res.locals.traceId, err }, "recording a refused call failed"));
    }
    next(error);
  };
}
