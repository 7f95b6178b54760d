import type { Db } from "@gantry/db";
import { type CallerOptions, countRows, createCaller, createProvider, startTestApi } from "./api.js";

/**
 * Starts the API over its own database for the tests of one file, with an owner and the owner's provider. The API and
 * its database end with the file.
 */
export async function startApiTest({
  settings,
  ...options
}: CallerOptions & { settings?: Record<string, string> } = {}) {
  const api = await startTestApi(settings);
  afterAll(() => api.close());
  const owner = await createCaller(api, options);
  const provider = await createProvider(api.db, owner.accountId);
  return { api, db: api.db, owner, provider };
}

interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: an answer's body has the shape that the test expects of it.
  body: any;
}

/** Expects a 422 with only this error, and that the input changed no table's number of rows. */
export async function expectRefusal(db: Db, send: () => PromiseLike<Answer>, error: string | RegExp): Promise<void> {
  const before = await countRows(db);
  const { status, body } = await send();
  expect([status, body.errors]).toEqual([422, [typeof error === "string" ? error : expect.stringMatching(error)]]);
  expect(await countRows(db)).toEqual(before);
}

/** The ids of the records in a list, in its order. */
export function idsIn({ body }: Answer): (string | number)[] {
  const [records] = Object.values<{ id: string | number }[]>(body);
  return records?.map(({ id }) => id) ?? [];
}

/** The path of the resource of a Request that an answer's body holds. */
export function resourcePath({ request }: { request: { resource: string } }): string {
  return new URL(request.resource).pathname;
}

/** The URL of a record, as answers show it. */
export function urlOf(path: string): string {
  return `http://gantry.test/${path}`;
}

/** Ends a Request, as a worker would have ended it. */
export function endRequest(db: Db, id: string, successful = true) {
  const now = new Date();
  return db.request.update({ where: { id }, data: { startedAt: now, finishedAt: now, successful } });
}
