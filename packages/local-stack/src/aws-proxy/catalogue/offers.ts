import type { AccountSettings } from "../account-settings.js";
import type { AwsError, AwsResponse } from "../aws-response.js";
import type { Call } from "../call.js";
import type { Emulator } from "../emulator.js";
import type { SubnetZones } from "../subnet-zones.js";
import { catalogueAnswers } from "./answers.js";
import { Catalogue, type CatalogueMode } from "./catalogue.js";
import { catalogueRefusals } from "./refusals.js";
import { readTodaysOffers, type TodaysOffers } from "./today.js";

/** What the emulated AWS offers: answers the calls that ask for it, and refuses the calls that need what is not offered. */
export class Offers {
  private today: TodaysOffers | undefined;

  /** @param home the folder of the emulator's Python environment, which is read at the first use */
  constructor(
    private readonly emulator: Emulator,
    private readonly subnets: SubnetZones,
    private readonly modes: AccountSettings<CatalogueMode>,
    private readonly home: string,
  ) {}

  /** Returns the response of a call about offers, or undefined for another call. */
  answer(call: Call, accountId: string): AwsResponse | undefined {
    return catalogueAnswers[call.service]?.[call.action]?.(call, this.catalogueOf(call, accountId));
  }

  /** Returns the error of a call that needs what is not offered, or undefined. */
  async refusal(call: Call, accountId: string): Promise<AwsError | undefined> {
    return catalogueRefusals[call.service]?.[call.action]?.({
      call,
      catalogue: this.catalogueOf(call, accountId),
      read: (service, params) => this.emulator.read(call, service, params),
      zoneOf: (subnet) => this.subnets.of(call, subnet),
    });
  }

  private catalogueOf({ region }: Call, accountId: string): Catalogue {
    this.today ??= readTodaysOffers(this.home);
    return new Catalogue(this.today, this.modes.of(accountId), region);
  }
}
