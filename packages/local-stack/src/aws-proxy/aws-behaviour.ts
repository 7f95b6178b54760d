import type { AccountSettings } from "./account-settings.js";
import { type AwsError, type AwsResponse, errorResponse } from "./aws-response.js";
import type { Call } from "./call.js";
import type { CatalogueMode } from "./catalogue/catalogue.js";
import { Offers } from "./catalogue/offers.js";
import type { Emulator } from "./emulator.js";
import { withServiceDenial } from "./enforced-policies.js";
import { FirstBoots } from "./first-boot.js";
import { IdempotencyTokens } from "./idempotency-tokens.js";
import { showTransientStates } from "./resource-states.js";
import { SerialQueue } from "./serial-queue.js";
import { StateTransitions, type TransitionDelays } from "./state-transitions.js";
import { showStatusChecks } from "./status-checks.js";
import { SubnetZones } from "./subnet-zones.js";
import { autoScaling } from "./validations/auto-scaling.js";
import { ec2 } from "./validations/ec2.js";
import { iam } from "./validations/iam.js";
import { refuseParameters } from "./validations/parameters.js";
import { rds } from "./validations/rds.js";
import { sts } from "./validations/sts.js";
import { refuseTags } from "./validations/tags.js";
import type { Validation } from "./validations/validation.js";

const VALIDATIONS: Record<string, Record<string, Validation>> = { autoscaling: autoScaling, ec2, iam, rds, sts };

/** The behaviour of AWS that the emulator lacks: offers, validations, idempotency tokens, state transitions, first boots. */
export class AwsBehaviour {
  private readonly tokens: IdempotencyTokens;
  private readonly transitions: StateTransitions;
  private readonly queue = new SerialQueue();
  private readonly offers: Offers;
  readonly firstBoots: FirstBoots;

  constructor(
    private readonly emulator: Emulator,
    delays: AccountSettings<TransitionDelays>,
    catalogueModes: AccountSettings<CatalogueMode>,
    emulatorHome: string,
  ) {
    const subnets = new SubnetZones(emulator);
    this.offers = new Offers(emulator, subnets, catalogueModes, emulatorHome);
    this.tokens = new IdempotencyTokens(subnets);
    this.transitions = new StateTransitions(delays);
    this.firstBoots = new FirstBoots(emulator, delays, this.transitions);
  }

  /** Executes a call and returns the response that AWS would send. */
  async respond(call: Call, accountId: string): Promise<AwsResponse> {
    const answer = this.offers.answer(call, accountId);
    if (answer) return answer;
    const regionKey = `${accountId}|${call.region}`;
    return this.tokens.respondOnce(call, accountId, async () => {
      const refusal = refuseParameters(call) ?? refuseTags(call) ?? (await this.offers.refusal(call, accountId));
      if (refusal) return errorResponse(call, refusal);
      const forwarded = withServiceDenial(call, await this.validateAndForward(call, regionKey));
      const emulated = toAwsErrors(call, forwarded);
      const shown = showTransientStates(call, emulated, regionKey, this.transitions);
      const response = showStatusChecks(call, shown, regionKey, this.transitions);
      this.firstBoots.start(call, response, regionKey);
      return response;
    });
  }

  private validateAndForward(call: Call, regionKey: string): Promise<AwsResponse> {
    const validate = VALIDATIONS[call.service]?.[call.action];
    if (!validate) return this.emulator.forward(call);
    return this.queue.run(regionKey, async () => {
      const error = await validate({
        call,
        read: (service, params) => this.emulator.read(call, service, params),
        readIn: async (id, service, params) => {
          return this.emulator.read({ ...call, accessKeyId: await this.emulator.accessKeyIn(id) }, service, params);
        },
        transientState: (id, delay) => this.transitions.current(regionKey, id, delay)?.state,
      });
      return error ? errorResponse(call, error) : this.emulator.forward(call);
    });
  }
}

const DRY_RUN: AwsError = {
  code: "DryRunOperation",
  message: "Request would have succeeded, but DryRun flag is set.",
  status: 412,
};

/** The emulator returns 501 for an unknown operation, 412 for a dry run (see its launcher), and an HTML page for an exception. */
function toAwsErrors(call: Call, response: AwsResponse): AwsResponse {
  if (response.status === 501) return errorResponse(call, unknownAction(call));
  if (response.status === 412 && call.params.DryRun === "true") return errorResponse(call, DRY_RUN);
  const failed = response.status >= 400 && String(response.headers["content-type"]).includes("text/html");
  if (!failed) return response;
  if (response.status === 404) return errorResponse(call, unknownAction(call));
  const message = "The emulator failed; moto.log has the error.";
  return errorResponse(call, { code: "InternalFailure", message, status: 500 });
}

function unknownAction({ action, headers }: Call): AwsError {
  const code = headers["x-amz-target"] ? "UnknownOperationException" : "InvalidAction";
  return { code, message: `The action ${action} is not valid for this web service.` };
}
