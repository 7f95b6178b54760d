import { fieldOf, type Model, Prisma, type Tx } from "@gantry/db";
import { entityTag, includes } from "../conditions/entity-tags.js";
import type { Endpoint } from "../endpoint.js";
import { HttpError, invalid } from "../errors/errors.js";
import type { ReplyContext } from "../reply/reply.js";
import { table } from "../rows/rows.js";
import type { Call } from "./call.js";

type HandlerContext = Parameters<Endpoint["handle"]>[0] & ReplyContext;

/** Returns true if the call depends on the state of a record, which must not change before the call is carried out. */
export function isConditional({ endpoint, conditions }: Call): boolean {
  return endpoint.method !== "GET" && (conditions.ifMatch ?? conditions.ifNoneMatch) !== undefined;
}

/**
 * Requires that the record of a conditional change is as its caller saw it. Call it in the transaction of the change: the
 * record stays locked until its end, so that of two changes with one tag only the first is carried out.
 *
 * @throws 412 if the record has changed, 404 or 403 as the endpoint that shows it, 422 if nothing shows it
 */
export async function requireConditions(call: Call, db: Tx, context: HandlerContext): Promise<void> {
  const { endpoint, conditions, shown, params } = call;
  if (!isConditional(call)) return;
  const header = conditions.ifMatch === undefined ? "If-None-Match" : "If-Match";
  if (!shown) throw invalid(header, `is not supported here, because no GET ${endpoint.path} shows a record's ETag`);
  const names = [...shown.path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? "");
  const values = Object.values(params);
  const query = { wait: 0 };
  const asShown = { ...context, query, params: Object.fromEntries(names.map((name, i) => [name, values[i] ?? ""])) };
  const row = (await shown.handle(asShown)) as { id: string | number };
  await db.$queryRaw(Prisma.sql`SELECT id FROM ${tableOfRecord(shown)} WHERE id = ${row.id} FOR NO KEY UPDATE`);
  requireTag(call, tagOf(shown, await shown.handle(asShown), asShown, call));
}

/**
 * Returns the entity tag of a record that a call reads, and whether the caller has it already.
 *
 * @throws 412 if the caller wants only another one
 */
export function tagOfRead(call: Call, output: unknown, context: ReplyContext): { tag: string; isKnown: boolean } {
  const { endpoint, conditions } = call;
  const tag = tagOf(endpoint, output, context, call);
  requireTag({ ...call, conditions: { ...conditions, ifNoneMatch: undefined } }, tag);
  return { tag, isKnown: conditions.ifNoneMatch !== undefined && includes(conditions.ifNoneMatch, tag) };
}

function tagOf({ reply }: Endpoint, output: unknown, context: ReplyContext, { appContext }: Call): string {
  return entityTag(reply.version?.(output as never, context), appContext.keys.fingerprints);
}

function requireTag({ conditions: { ifMatch, ifNoneMatch } }: Call, tag: string): void {
  const isWanted = (!ifMatch || includes(ifMatch, tag)) && !(ifNoneMatch && includes(ifNoneMatch, tag));
  if (isWanted) return;
  const sentence = ifMatch
    ? "the record is not as If-Match requires; read it again and repeat your change with its new ETag"
    : "the record is as If-None-Match excludes";
  throw new HttpError(412, "precondition_failed", [sentence]);
}

/** The table of a record is named as the record. */
function tableOfRecord({ reply }: Endpoint): Prisma.Sql {
  return table(fieldOf(reply.recordName as string) as Model);
}
