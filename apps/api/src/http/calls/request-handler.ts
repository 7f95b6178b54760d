import type { RequestHandler } from "express";
import type { AppContext } from "../context.js";
import type { Endpoint } from "../endpoint.js";
import { withParameter } from "../input/references.js";
import { withAfterCommit } from "./after-commit.js";
import { type Answer, callParser } from "./call.js";
import { withFirstReply } from "./repeated-calls.js";
import { runHandler } from "./run-handler.js";
import { sendingInPlace } from "./send.js";
import { withSecondAttempt, withTransaction } from "./transaction.js";

const answered = withParameterName(withFirstReply(withSecondAttempt(withAfterCommit(withTransaction(runHandler)))));
const send = sendingInPlace(answered);

/**
 * Parses the input, runs the endpoint's handler and sends the reply.
 *
 * @param shown the endpoint that shows the record which this one changes
 */
export function requestHandler(endpoint: Endpoint, appContext: AppContext, shown?: Endpoint): RequestHandler {
  const parse = callParser(endpoint, appContext, shown);
  return (input, res) => send(parse(input, res), res);
}

/** Names the parameter of the body that an error is about. */
function withParameterName(answer: Answer): Answer {
  return (call) =>
    answer(call).catch((error: unknown) => {
      const { params, endpoint, rawBody } = call;
      throw endpoint.body ? withParameter(error, { params, schema: endpoint.body, body: rawBody }) : error;
    });
}
