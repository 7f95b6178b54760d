import { createBullBoard } from "@bull-board/api";
import { BullMQAdapter } from "@bull-board/api/bullMQAdapter";
import { ExpressAdapter } from "@bull-board/express";
import type { RedisConnection } from "@gantry/queue";
import { QUEUE, QUEUES } from "@gantry/queue";
import { Queue } from "bullmq";
import type { RequestHandler } from "express";
import { SIGN_OUT_PATH } from "./session.js";

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  [QUEUE]: "One job for each Request. To retry a failed Request, call POST /requests/:request/retry.",
};

/** Pages about the queues: one that shows them, and one that also has buttons to act on them. */
export interface Board {
  readOnly: RequestHandler;
  withActs: RequestHandler;
  close(): Promise<void>;
}

/** Creates the pages over an open connection. They write nothing to Redis until a member of staff acts. */
export function createBoard(redis: RedisConnection, prefix: string): Board {
  const queues = QUEUES.map((name) =>
    new Queue(name, { connection: redis, prefix, skipWaitingForReady: true, skipMetasUpdate: true }).on(
      "error",
      () => {},
    ),
  );
  const pages = (readOnlyMode: boolean): RequestHandler => {
    const serverAdapter = new ExpressAdapter().setBasePath("/queues");
    const adapters = queues.map(
      (queue) =>
        new BullMQAdapter(queue, { readOnlyMode, allowRetries: false, description: DESCRIPTIONS[queue.name] ?? "" }),
    );
    const uiConfig = {
      boardTitle: "Gantry queues",
      hideDocsLink: true,
      miscLinks: [{ text: "Sign out", url: SIGN_OUT_PATH }],
    };
    createBullBoard({ queues: adapters, serverAdapter, options: { uiConfig } });
    return serverAdapter.getRouter().disable("x-powered-by");
  };
  return {
    readOnly: pages(true),
    withActs: pages(false),
    close: async () => void (await Promise.all(queues.map((queue) => queue.close().catch(() => {})))),
  };
}
