import { type AwsError, type AwsResponse, errorResponse } from "./aws-response.js";
import type { Call } from "./call.js";
import type { Emulator } from "./emulator.js";
import { FirstBoots } from "./first-boot.js";
import { IdempotencyTokens } from "./idempotency-tokens.js";
import { showTransientStates } from "./resource-states.js";
import { SerialQueue } from "./serial-queue.js";
import { StateTransitions } from "./state-transitions.js";
import type { TransitionDelaySettings } from "./transition-delays.js";
import { autoScaling } from "./validations/auto-scaling.js";
import { ec2 } from "./validations/ec2.js";
import { iam } from "./validations/iam.js";
import { rds } from "./validations/rds.js";
import type { Validation } from "./validations/validation.js";

const VALIDATIONS: Record<string, Record<string, Validation>> = { autoscaling: autoScaling, ec2, iam, rds };

/** What real AWS does and the emulator does not. */
export class AwsBehaviour {
  private readonly tokens: IdempotencyTokens;
  private readonly transitions: StateTransitions;
  private readonly queue = new SerialQueue();
  readonly firstBoots: FirstBoots;

  constructor(
    private readonly emulator: Emulator,
    slowness: TransitionDelaySettings,
  ) {
    this.tokens = new IdempotencyTokens(emulator);
    this.transitions = new StateTransitions(slowness);
    this.firstBoots = new FirstBoots(emulator, slowness, this.transitions);
  }

  /** Answers a call as AWS would. */
  respond(call: Call, accountId: string): Promise<AwsResponse> {
    const place = `${accountId}|${call.region}`;
    return this.tokens.respondOnce(call, accountId, async () => {
      const answer = await this.validateAndForward(call, place);
      const shown = showTransientStates(call, toAwsErrors(call, answer), place, this.transitions);
      this.firstBoots.start(call, shown, place);
      return shown;
    });
  }

  private validateAndForward(call: Call, place: string): Promise<AwsResponse> {
    const rule = VALIDATIONS[call.service]?.[call.action];
    if (!rule) return this.emulator.forward(call);
    return this.queue.run(place, async () => {
      const refusal = await rule({
        call,
        read: (service, params) => this.emulator.read(call, service, params),
        transientState: (id, delay) => this.transitions.current(place, id, delay)?.state,
      });
      return refusal ? errorResponse(call, refusal) : this.emulator.forward(call);
    });
  }
}

/** The emulator says 501 to an operation it does not know (our launcher's doing) and shows a web page when it fails. */
function toAwsErrors(call: Call, answer: AwsResponse): AwsResponse {
  if (answer.status === 501) return errorResponse(call, unknownAction(call));
  const failed = answer.status >= 400 && String(answer.headers["content-type"]).includes("text/html");
  if (!failed) return answer;
  if (answer.status === 404) return errorResponse(call, unknownAction(call));
  const message = "The emulator failed; its log says why.";
  return errorResponse(call, { code: "InternalFailure", message, status: 500 });
}

function unknownAction({ action, headers }: Call): AwsError {
  const code = headers["x-amz-target"] ? "UnknownOperationException" : "InvalidAction";
  return { code, message: `The action ${action} is not valid for this web service.` };
}
