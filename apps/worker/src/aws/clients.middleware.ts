import { types } from "node:util";
import type { EC2Client } from "@aws-sdk/client-ec2";
import { currentTrace, traceparent } from "@gantry/runtime";
import { awsCallDuration, currentSpan, span } from "@gantry/telemetry";
import { countCall, duringChange } from "../engine/with-lease.js";
import { codeOf, isRefusal, outcomeOf, recordInput } from "./aws-errors.js";
import { READ_ACTION } from "./rate-limit/published-rates.js";
import type { RoleSession } from "./sts/session.js";

/** A plugin of the AWS SDK for a client of any of AWS's services. */
export type Plugin = Parameters<EC2Client["middlewareStack"]["use"]>[0];

/** Adds the current trace to every call, so that a call can be traced back to its HTTP input. */
export function traceHeader(): Plugin {
  return {
    applyToStack: (stack) =>
      stack.add(
        (next) => (args) => {
          const trace = currentTrace();
          const request = args.request as { headers?: Record<string, string> };
          if (trace && request.headers) request.headers.traceparent = traceparent(trace, currentSpan()?.position);
          return next(args);
        },
        { step: "build", name: "traceparent" },
      ),
  };
}

/**
 * Adds to every error the action, in the form of IAM's policies (`ec2:RunInstances`), and whether AWS itself was called. Ends a
 * session that AWS finds expired.
 */
export function errorFacts({
  session,
  isCustomEndpoint,
}: {
  session: RoleSession | undefined;
  isCustomEndpoint: boolean;
}): Plugin {
  return {
    applyToStack: (stack) =>
      stack.add(
        (next, { clientName = "", commandName = "" }) =>
          async (args) => {
            try {
              return await next(args);
            } catch (error) {
              if (codeOf(error) === "ExpiredToken") session?.expire();
              const action = `${serviceOf(clientName)}:${actionOf(commandName)}`;
              if (!types.isNativeError(error)) throw error;
              recordInput(error, args.input);
              throw Object.assign(error, { action, isCustomEndpoint });
            }
          },
        { step: "initialize", name: "errorFacts" },
      ),
  };
}

/**
 * Asserts the lease before every attempt at a change: a paused worker may have lost it between two attempts of the SDK, or
 * between two calls of one stage.
 */
export function leaseCheck(): Plugin {
  return {
    applyToStack: (stack) =>
      stack.add(
        (next, { commandName = "" }) =>
          async (args) => {
            return READ_ACTION.test(commandName) ? next(args) : duringChange(() => next(args), isRefusal);
          },
        { step: "finalizeRequest", priority: "low", name: "lease" },
      ),
  };
}

/** What the SDK says of a call, in its answer or its error. */
interface CallFacts {
  $metadata?: { attempts?: number; requestId?: string; httpStatusCode?: number };
}

/** Makes each call a span of the current trace, with all of its attempts and the waits before them. */
export function callSpan({ service, region }: { service: string; region: string }): Plugin {
  return {
    applyToStack: (stack) =>
      stack.add(
        (next, { commandName = "" }) =>
          (args) => {
            const method = actionOf(commandName);
            const attributes = {
              "rpc.system.name": "aws-api",
              "rpc.method": `${service}/${method}`,
              "cloud.region": region,
            };
            return span(`${service}.${method}`, { kind: "client", attributes }, async (current) => {
              const show = ({ $metadata: { attempts, requestId, httpStatusCode } = {} }: CallFacts) =>
                current?.set({
                  "aws.request_id": requestId,
                  "http.response.status_code": httpStatusCode,
                  "gantry.aws.attempts": attempts,
                });
              try {
                const answer = await next(args);
                show(answer.output);
                return answer;
              } catch (error) {
                show(Object(error));
                throw error;
              }
            });
          },
        { step: "initialize", priority: "high", name: "callSpan" },
      ),
  };
}

/** Counts and times each attempt at a call. */
export function callMetrics(): Plugin {
  return {
    applyToStack: (stack) =>
      stack.add(
        (next, { clientName = "", commandName = "" }) =>
          async (args) => {
            const service = serviceOf(clientName);
            const stopTimer = awsCallDuration.startTimer({ service, action: actionOf(commandName) });
            countCall();
            try {
              const answer = await next(args);
              stopTimer({ outcome: "ok" });
              return answer;
            } catch (error) {
              stopTimer({ outcome: outcomeOf(error) });
              throw error;
            }
          },
        { step: "deserialize", priority: "high", name: "callMetrics" },
      ),
  };
}

/** The service as IAM's policies name it, such as `ec2`. */
function serviceOf(clientName: string): string {
  return clientName.replace(/Client$/, "").toLowerCase();
}

function actionOf(commandName: string): string {
  return commandName.replace(/Command$/, "");
}
