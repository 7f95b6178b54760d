import type { Response } from "express";
import { limitKeyOf } from "../auth/caller.js";
import type { Answer, Call } from "./call.js";
import { send } from "./send.js";

/** Sends the answer to a call. A call that waits, or reads a stream, has one of its caller's places until it is sent. */
export function sendingInPlace(answer: Answer): (call: Call, res: Response) => Promise<void> {
  return async (call, res) => {
    const { appContext, identity, input, query } = call;
    const takePlace = () => appContext.waiting.take(identity ? limitKeyOf(identity) : (input.ip ?? ""));
    let freePlace = Number(query.wait ?? 0) > 0 ? takePlace() : undefined;
    try {
      const reply = await answer(call);
      if (reply.stream) freePlace ??= takePlace();
      await send(res, reply);
    } finally {
      freePlace?.();
    }
  };
}
