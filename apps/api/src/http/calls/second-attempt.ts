import { isRolledBack, violatedUnique } from "@gantry/db";
import type { Answer } from "./call.js";

/**
 * Answers a call again if another one won a race: for a unique value, where the winner has committed by then, so that the
 * rule of the endpoint finds it and names the conflict; or for locks, where PostgreSQL rolled this call back to end a deadlock.
 */
export function withSecondAttempt(answer: Answer): Answer {
  return (call) =>
    answer(call).catch((error: unknown) => {
      if (violatedUnique(error) === undefined && !isRolledBack(error)) throw error;
      return answer(call);
    });
}
