import type { Db } from "@gantry/db";

/** What a webhook wants and what its receiver accepted. */
export interface Subscription {
  accountId: string;
  types: readonly string[];
  /** The cursor in the account's events after which it gets them. */
  position: bigint;
  /** The ids of the events and deliveries that it accepted. */
  ids: ReadonlySet<string>;
  /** The delivery of a ping after the last event. */
  ping?: string | undefined;
  /** The deliveries whose signature was wrong. */
  unverified: readonly string[];
}

/** The events and the ping that a webhook's receiver never accepted, and the deliveries that it could not trust. */
export async function undelivered(db: Db, subscription: Subscription): Promise<string[]> {
  const { accountId, types, position, ids, ping, unverified } = subscription;
  const events = await db.event.findMany({
    where: { accountId, type: { in: [...types] }, position: { gte: position } },
    orderBy: [{ position: "asc" }, { seq: "asc" }],
    select: { position: true, seq: true, type: true, subjectType: true, subjectId: true },
  });
  const missing = events.filter((event) => !ids.has(`${event.position}-${event.seq}`));
  return [
    ...missing.map((event) => `${event.type} of ${event.subjectType} ${event.subjectId} never arrived`),
    ...(ping && !ids.has(ping) ? [`the ping ${ping} never arrived`] : []),
    ...unverified.map((each) => `a delivery has a wrong signature: ${each}`),
  ];
}
