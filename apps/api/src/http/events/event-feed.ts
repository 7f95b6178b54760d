import { setImmediate as nextRound, setTimeout as sleep } from "node:timers/promises";
import type { Db, Event } from "@gantry/db";
import {
  compareCursors,
  type EventCursor,
  type EventPage,
  type EventSelection,
  idOfCursor,
  readDescendants,
  readEvents,
  selects,
} from "@gantry/resources";
import { type Log, OutageLog } from "@gantry/runtime";
import { LRUCache } from "lru-cache";
import pLimit from "p-limit";

const POLL_MS = 50;
const POLL_MS_AFTER_ERROR = 1000;
const MAX_POLLED = 1000;
/** The newest events that are held for the readers of this process, by the length of their records. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;
/** The approximate memory that an event needs in addition to its record. */
const EVENT_BYTES = 500;
/** The number of pages that are read from the database at once; the other connections are for the other endpoints. */
const MAX_READ_AT_ONCE = 4;
/**
 * Events of full pages that are kept for other readers at the same cursor, such as all that reconnect after a restart.
 */
const MAX_SHARED = 5000;
const SHARED_MS = 1000;

/** The newest events of one account, and those who read them. */
interface Followed {
  readers: number;
  /** The cursor after which `events` is complete; undefined until the first poll. */
  from: EventCursor | undefined;
  events: Event[];
  waiting: Set<() => void>;
}

/** An event that is held, and its approximate size. */
interface Held {
  event: Event;
  followed: Followed;
  bytes: number;
}

/** A reader of one account's events. */
export interface Follower {
  /** The selected events after a cursor, at most `limit`, and the cursor to continue from. */
  read(
    selection: Omit<EventSelection, "accountIds">,
    after: EventCursor | undefined,
    limit: number,
  ): Promise<EventPage>;
  /** Resolves when the account has new events, after `ms` or when the feed closes. */
  changed(ms: number): Promise<void>;
  close(): void;
}

/**
 * Reads new events of the accounts that are followed in this process: one query at a time, for all of their readers. What a
 * reader has missed comes from the database.
 */
export class EventFeed {
  private readonly followed = new Map<string, Followed>();
  /** The cursor up to which the feed has read. */
  private cursor: EventCursor | undefined;
  /** The held events of all accounts, the oldest first. */
  private held: Held[] = [];
  private heldBytes = 0;
  private polling: Promise<void> | undefined;
  private isClosed = false;
  private readonly limitReads = pLimit(MAX_READ_AT_ONCE);
  private readonly reading = new Map<string, Promise<EventPage>>();
  private readonly shared = new LRUCache<string, EventPage>({
    maxSize: MAX_SHARED,
    sizeCalculation: ({ events }) => events.length,
    ttl: SHARED_MS,
  });
  private readonly rounds = pLimit(1);

  private readonly outage: OutageLog;

  /** @param maxHeldBytes events beyond it are read from the database again, except those of the newest poll */
  constructor(
    private readonly db: Db,
    log: Log,
    private readonly maxHeldBytes = MAX_HELD_BYTES,
  ) {
    this.outage = new OutageLog(log, "read of new events");
  }

  /** Reads a page from the database, as soon as few enough others do. Readers at the same cursor share a full page. */
  async readStored(
    selection: EventSelection,
    after: EventCursor | undefined,
    limit: number,
    isNewest = false,
  ): Promise<EventPage> {
    const page = await this.readShared(selection, after, limit, isNewest);
    const { requestId, descendants } = selection;
    if (requestId === undefined || !descendants) return page;
    // After the page, so that none is missing whose events come before its cursor.
    const ids = await this.limitReads(() => readDescendants(this.db, requestId));
    for (const id of ids) descendants.add(id);
    return page;
  }

  private async readShared(
    selection: EventSelection,
    after: EventCursor | undefined,
    limit: number,
    isNewest: boolean,
  ): Promise<EventPage> {
    const { accountIds, requestId, descendants, types, subject } = selection;
    const place = after && idOfCursor(after);
    const key = JSON.stringify([
      accountIds,
      requestId,
      descendants !== undefined,
      types,
      subject,
      place,
      limit,
      isNewest,
    ]);
    // Events may have followed since, unless the page is full and does not have the newest.
    const isFull = ({ events }: EventPage) => events.length === limit && !isNewest;
    const pending = this.reading.get(key);
    const known = this.shared.get(key) ?? (pending && (await pending));
    if (known && isFull(known)) return known;
    const reading = this.limitReads(() => readEvents(this.db, selection, after, limit, isNewest));
    this.reading.set(key, reading);
    try {
      const page = await reading;
      if (isFull(page)) this.shared.set(key, page);
      return page;
    } finally {
      if (this.reading.get(key) === reading) this.reading.delete(key);
    }
  }

  /**
   * Resolves in a round of the event loop that sends no other reader's full page, so that other calls run in between.
   */
  async nextTurn(): Promise<void> {
    await this.rounds(() => nextRound());
  }

  /** Follows an account until the follower is closed. */
  follow(accountId: string): Follower {
    const followed = this.followed.get(accountId) ?? { readers: 0, from: undefined, events: [], waiting: new Set() };
    this.followed.set(accountId, followed);
    followed.readers += 1;
    this.polling ??= this.poll();
    return {
      read: (selection, after, limit) => this.read(accountId, followed, selection, after, limit),
      changed: (ms) => this.changed(followed, ms),
      close: () => {
        followed.readers -= 1;
        if (followed.readers === 0) this.forget(accountId, followed);
      },
    };
  }

  /** True if readers must end. */
  get closed(): boolean {
    return this.isClosed;
  }

  /** Ends all waits, and resolves when the poll under way has ended. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const { waiting } of this.followed.values()) for (const resume of waiting) resume();
    await this.polling;
  }

  private async read(
    accountId: string,
    { from, events }: Followed,
    selection: Omit<EventSelection, "accountIds">,
    after: EventCursor | undefined,
    limit: number,
  ): Promise<EventPage> {
    const selected = { ...selection, accountIds: [accountId] };
    const { cursor: horizon } = this;
    const isHeld = after && from && horizon && compareCursors(after, from) >= 0 && compareCursors(after, horizon) <= 0;
    if (!isHeld) return this.readStored(selected, after, limit);
    const lastRead = events.findLastIndex((event) => compareCursors(event, after) <= 0);
    const unread = events.slice(lastRead + 1);
    const found = unread.filter((event) => selects(selected, event)).slice(0, limit);
    const last = found.length === limit ? found.at(-1) : undefined;
    return { events: found, cursor: last ?? horizon, gap: undefined };
  }

  private changed({ waiting }: Followed, ms: number): Promise<void> {
    if (this.isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      const resume = () => {
        clearTimeout(timer);
        waiting.delete(resume);
        resolve();
      };
      const timer = setTimeout(resume, ms);
      waiting.add(resume);
    });
  }

  private async poll(): Promise<void> {
    this.cursor = undefined;
    while (this.followed.size > 0 && !this.isClosed) {
      const pause = await this.readNew().then(
        () => {
          this.outage.worked();
          return POLL_MS;
        },
        (error: unknown) => {
          this.outage.failed(error);
          return POLL_MS_AFTER_ERROR;
        },
      );
      await sleep(pause);
    }
    this.polling = undefined;
  }

  private async readNew(): Promise<void> {
    const accounts = [...this.followed];
    const since = this.cursor;
    const accountIds = accounts.map(([id]) => id);
    const { events, cursor, gap } = await readEvents(this.db, { accountIds }, since, MAX_POLLED);
    if (gap) return this.startAgain();
    this.cursor = cursor;
    for (const [, followed] of accounts) followed.from ??= since ?? cursor;
    const changed = new Set<Followed>();
    const fresh: Held[] = [];
    for (const event of events) {
      const followed = this.followed.get(event.accountId);
      if (!followed) continue;
      followed.events.push(event);
      fresh.push({ event, followed, bytes: EVENT_BYTES + JSON.stringify(event.record).length });
      changed.add(followed);
    }
    this.hold(fresh);
    for (const { waiting } of changed) for (const resume of waiting) resume();
  }

  /** Drops all events, so that readers read their pages from the database and learn of the gap. */
  private startAgain(): void {
    this.cursor = undefined;
    this.held = [];
    this.heldBytes = 0;
    for (const followed of this.followed.values()) {
      followed.from = undefined;
      followed.events = [];
      for (const resume of followed.waiting) resume();
    }
  }

  /** Holds new events, and drops the oldest of all accounts that no longer fit. */
  private hold(fresh: Held[]): void {
    this.heldBytes += sizeOf(fresh);
    let count = 0;
    while (this.heldBytes > this.maxHeldBytes && count < this.held.length) {
      this.heldBytes -= this.held[count]?.bytes ?? 0;
      count += 1;
    }
    const dropped = Map.groupBy(this.held.splice(0, count), ({ followed }) => followed);
    for (const [followed, gone] of dropped) followed.from = followed.events.splice(0, gone.length).at(-1);
    this.held.push(...fresh);
  }

  private forget(accountId: string, followed: Followed): void {
    this.followed.delete(accountId);
    const kept = this.held.filter((each) => each.followed !== followed);
    this.held = kept;
    this.heldBytes = sizeOf(kept);
  }
}

function sizeOf(held: Held[]): number {
  return held.reduce((sum, { bytes }) => sum + bytes, 0);
}
