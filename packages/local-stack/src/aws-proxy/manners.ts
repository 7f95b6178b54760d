import type { Answer } from "./answer.js";
import type { Call } from "./call.js";
import type { Emulator } from "./emulator.js";
import type { Slowness } from "./slowness.js";

/** What real AWS does and the emulator does not. */
export class Manners {
  constructor(
    private readonly emulator: Emulator,
    readonly slowness: Slowness,
  ) {}

  answer(call: Call, _accountId: string): Promise<Answer> {
    return this.emulator.forward(call);
  }
}
