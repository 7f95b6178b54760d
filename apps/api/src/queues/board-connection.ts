import { once } from "node:events";
import type { RedisConnection } from "@gantry/queue";
import { connectRedis } from "@gantry/queue";
import type { Env } from "@gantry/runtime";
import { HttpError } from "../http/errors/errors.js";
import type { Board } from "./board.js";

/** The longest wait for a connection, and for an answer. */
const CONNECT_TIMEOUT_MS = 1000;
const ANSWER_SECONDS = 2;

/** The board with its connection to Redis. Both are opened by the first visit. */
export class BoardConnection {
  private redis: RedisConnection | undefined;
  private board: Promise<Board> | undefined;

  constructor(private readonly env: Pick<Env, "REDIS_URL" | "QUEUE_PREFIX">) {}

  /**
   * Returns the board after Redis has answered.
   *
   * @throws 503 if Redis does not answer
   */
  async open(): Promise<Board> {
    try {
      this.redis ??= connectRedis(this.env.REDIS_URL, { answerSeconds: ANSWER_SECONDS }).on("error", () => {});
      if (this.redis.status !== "ready")
        await once(this.redis, "ready", { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) });
      await this.redis.ping();
    } catch {
      const sentence = "Redis does not respond, so the queues cannot be shown; Requests are safe in the database";
      throw new HttpError(503, "unavailable", [sentence], { headers: { "Retry-After": "2" } });
    }
    const { redis } = this;
    this.board ??= import("./board.js").then(({ createBoard }) => createBoard(redis, this.env.QUEUE_PREFIX));
    return this.board;
  }

  async close(): Promise<void> {
    const board = await this.board;
    await board?.close();
    this.redis?.disconnect();
  }
}
