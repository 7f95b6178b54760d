import { type Answer, type Refusal, refusalAnswer } from "./answer.js";
import type { Call } from "./call.js";
import type { Emulator } from "./emulator.js";
import { FirstBoots } from "./first-boot.js";
import { autoScaling } from "./refusals/auto-scaling.js";
import { ec2 } from "./refusals/ec2.js";
import { iam } from "./refusals/iam.js";
import type { Rule } from "./refusals/question.js";
import { rds } from "./refusals/rds.js";
import type { Slowness } from "./slowness.js";
import { showStates } from "./states.js";
import { ClientTokens } from "./tokens.js";
import { Transitions } from "./transitions.js";
import { Turns } from "./turns.js";

const RULES: Record<string, Record<string, Rule>> = { autoscaling: autoScaling, ec2, iam, rds };

/** What real AWS does and the emulator does not. */
export class Manners {
  private readonly tokens: ClientTokens;
  private readonly transitions: Transitions;
  private readonly turns = new Turns();
  readonly firstBoots: FirstBoots;

  constructor(
    private readonly emulator: Emulator,
    slowness: Slowness,
  ) {
    this.tokens = new ClientTokens(emulator);
    this.transitions = new Transitions(slowness);
    this.firstBoots = new FirstBoots(emulator, slowness, this.transitions);
  }

  /** Answers a call as AWS would. */
  answer(call: Call, accountId: string): Promise<Answer> {
    const place = `${accountId}|${call.region}`;
    return this.tokens.once(call, accountId, async () => {
      const answer = await this.allowed(call, place);
      const shown = showStates(call, understandable(call, answer), place, this.transitions);
      this.firstBoots.begin(call, shown, place);
      return shown;
    });
  }

  private allowed(call: Call, place: string): Promise<Answer> {
    const rule = RULES[call.service]?.[call.action];
    if (!rule) return this.emulator.forward(call);
    return this.turns.take(place, async () => {
      const refusal = await rule({
        call,
        read: (service, params) => this.emulator.read(call, service, params),
        moving: (id, what) => this.transitions.of(place, id, what)?.shown,
      });
      return refusal ? refusalAnswer(call, refusal) : this.emulator.forward(call);
    });
  }
}

/** The emulator says 501 to an operation it does not know (our launcher's doing) and shows a web page when it fails. */
function understandable(call: Call, answer: Answer): Answer {
  if (answer.status === 501) return refusalAnswer(call, unknownAction(call));
  const failed = answer.status >= 400 && String(answer.headers["content-type"]).includes("text/html");
  if (!failed) return answer;
  if (answer.status === 404) return refusalAnswer(call, unknownAction(call));
  const message = "The emulator failed; its log says why.";
  return refusalAnswer(call, { code: "InternalFailure", message, status: 500 });
}

function unknownAction({ action, headers }: Call): Refusal {
  const code = headers["x-amz-target"] ? "UnknownOperationException" : "InvalidAction";
  return { code, message: `The action ${action} is not valid for this web service.` };
}
