import type { Request } from "@gantry/db";
import type { AwsAccount, Inventory } from "@gantry/local-stack";
import { requestTypeDefinition, requestTypes } from "@gantry/requests";
import { aws } from "../../support/account.js";
import type { TestCaller } from "../../support/api.js";
import { interceptor } from "../../support/aws-interceptor.js";
import { unrecorded } from "../../support/records.js";
import { countsOf } from "../../support/scenario.js";
import { differences, type Outcome, settled, wrongWithSuccess } from "./case-result.js";
import { watch } from "./points.js";
import type { Play } from "./test-cases.js";
import type { Accepted, House } from "./test-system.js";

/** A Request that was disturbed and has ended. */
interface Disturbed extends Accepted {
  play: Play;
  by: TestCaller;
  isReached: boolean;
  /** What the API answered to the cancel. */
  cancelStatus: number | undefined;
  /** Calls to the cloud that were under way when the Request was about to end. */
  busyAtEnd: number;
  request: Request;
}

const REMOVAL = /^(Delete|Terminate|Release|Detach|Disassociate|Revoke|Remove)/;
const REFUSED = "The provider's credentials lack a permission in AWS that this needs";
const refusal = () => Object.assign(new Error("no"), { name: "UnauthorizedOperation", $metadata: {} });

/**
 * Disturbs each Request at its moment: it must end as cancelled or failed with nothing of it left, or named. Then retries
 * it: that must end well, with exactly one of everything.
 */
export async function playUndoings(appContext: House, plays: Play[]): Promise<Outcome[]> {
  const awsAccount = await aws.createAccount();
  const disturbed = await settled(plays.map((play) => disturb(appContext, awsAccount, play)));
  const left = await aws.inventory(awsAccount);
  const wrong = await settled(disturbed.map(async (each) => wrongAfter(appContext, ended(each), left)));
  const retries = await settled(disturbed.map(async (each) => retry(ended(each))));
  const inventory = await aws.inventory(awsAccount);
  return Promise.all(
    plays.map(async (play, i) => {
      const [each, retried] = [disturbed[i], retries[i]];
      if (!each || each instanceof Error) return { play, isReached: true, wrong: [String(each)] };
      const afterRetry =
        retried instanceof Error ? [retried.message] : retried ? wrongWithSuccess(each, retried, inventory) : [];
      const before = wrong[i] instanceof Error ? [String(wrong[i])] : (wrong[i] ?? []);
      const untold = retried ? await unrecorded(appContext.database.db, each.accountId) : [];
      return {
        play,
        isReached: each.isReached,
        wrong: [...before, ...[...afterRetry, ...untold].map((what) => `after a retry, ${what}`)],
      };
    }),
  );
}

function ended(each: Disturbed | Error): Disturbed {
  if (each instanceof Error) throw each;
  return each;
}

async function disturb(appContext: House, awsAccount: AwsAccount, play: Play): Promise<Disturbed> {
  const mine = await appContext.accept(play.type, awsAccount);
  const by = await mine.caller();
  const seen = { isReached: false, cancelStatus: undefined as number | undefined, busyAtEnd: 0 };
  const watched = watch(mine.requestId, async (now) => {
    if (now.endsWith("/before finish")) seen.busyAtEnd = watched.underWay;
    if (now !== play.moment || seen.isReached) return;
    seen.isReached = true;
    if (play.harm === "refusal") throw refusal();
    seen.cancelStatus = (await by.post(`/requests/${mine.requestId}/cancel`)).status;
  });
  const engine = play.harm === "leak" ? withoutRemovals(appContext.engine, () => seen.isReached) : appContext.engine;
  const request = await mine.finish({ engine });
  watched.end();
  return { ...mine, ...seen, play, by, request };
}

/** The engine with every removal refused by AWS from the time on at which `isForbidden`. */
function withoutRemovals(engine: House["engine"], isForbidden: () => boolean): House["engine"] {
  const { wrap } = interceptor((_nth, moment, command) => {
    if (moment === "before" && isForbidden() && REMOVAL.test(command)) throw refusal();
  });
  return { ...engine, connect: async (...location) => wrap(await engine.connect(...location)) };
}

async function wrongAfter(appContext: House, each: Disturbed, left: Inventory): Promise<string[]> {
  const { play, request, scenario, accountId, requestId, busyAtEnd } = each;
  if (play.moment.endsWith("/after finish")) {
    return [...differences("the cancel", [409], [each.cancelStatus]), ...wrongWithSuccess(each, request, left)];
  }
  if (request.successful && play.harm === "refusal") return wrongWithSuccess(each, request, left);
  const { database } = appContext;
  const open = await database.db.request.count({ where: { accountId, finishedAt: null } });
  const shown = (await each.by.get(`/requests/${requestId}`)).body.request;
  const { leaked_resources: leaked } = (await each.by.get(`/requests/${requestId}/leaked-resources`)).body;
  const common = { successful: shown.successful, message: shown.message, open, busyAtEnd };
  const idle = { successful: false, open: 0, busyAtEnd: 0 };
  const made = countsOf(left, accountId);
  if (play.harm === "refusal") {
    const isUndone = requestTypes[play.type].onFailure === "compensate";
    return differences(
      "the failure",
      { ...idle, message: REFUSED, leaked: [], made: isUndone ? scenario.afterFailure : made },
      { ...common, leaked, made },
    );
  }
  const isLeak = play.harm === "leak";
  return differences(
    "the cancel",
    {
      ...idle,
      answer: 200,
      status: "Cancelled",
      message: "Cancelled",
      leaked: isLeak ? await livingOfTree(appContext, requestId) : [],
      made: isLeak ? scenario.afterSuccess : scenario.afterFailure,
    },
    {
      ...common,
      answer: each.cancelStatus,
      status: shown.request_status.split(":")[0],
      leaked: named(leaked),
      made,
    },
  );
}

/** What a Request and those that it opened have in the ledger. */
async function livingOfTree({ database }: House, requestId: string): Promise<string[]> {
  return named(
    await database.db.$queryRaw<{ kind: string; id: string | null }[]>`
      WITH RECURSIVE tree AS (
        SELECT id FROM requests WHERE id = ${requestId}::uuid
        UNION ALL SELECT child.id FROM requests child JOIN tree ON child.parent_id = tree.id)
      SELECT kind, cloud_id AS id FROM cloud_objects
      WHERE request_id IN (SELECT id FROM tree) AND removed_at IS NULL`,
  );
}

function named(objects: { kind: string; id: string | null }[]): string[] {
  return objects.map(({ kind, id }) => `${kind} ${id}`).sort();
}

/** Retries what failed, and gives the new Request at its end; nothing where it is not to be retried. */
async function retry(each: Disturbed): Promise<Request | undefined> {
  if (each.request.successful) return undefined;
  const { status, body } = await each.by.post(`/requests/${each.requestId}/retry`);
  const mayRetry = requestTypeDefinition(each.play.type)?.insteadOfRetry === undefined;
  if (status !== (mayRetry ? 200 : 409)) throw new Error(`the API answered ${status}: ${JSON.stringify(body)}`);
  return mayRetry ? each.finish({ requestId: body.request.id }) : undefined;
}
