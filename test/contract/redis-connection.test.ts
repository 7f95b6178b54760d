import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connectRedis } from "@gantry/queue";
import { redisUrl } from "../support/stack.js";

/** Fails the first time as a replica does, and counts. */
const READ_ONLY_ONCE = `
if redis.call("INCR", KEYS[1]) == 1 then return redis.error_reply("READONLY You can't write against a read only replica.") end
return "written"`;

it("connects again and repeats the write if its server has become a replica", async () => {
  const redis = connectRedis(redisUrl);
  try {
    await once(redis, "ready");
    const before = await redis.client("ID");
    expect(await redis.eval(READ_ONLY_ONCE, 1, `{${randomUUID()}}:writes`)).toBe("written");
    expect(await redis.client("ID")).not.toBe(before);
  } finally {
    redis.disconnect();
  }
});

it("connects to an address without a scheme", async () => {
  const redis = connectRedis(redisUrl.replace("redis://", ""));
  try {
    expect(await redis.ping()).toBe("PONG");
  } finally {
    redis.disconnect();
  }
});

it("names the setting if the file of certificate authorities cannot be read", () => {
  expect(() => connectRedis("rediss://127.0.0.1:1?ca_file=/nowhere/ca.pem")).toThrow(
    "REDIS_URL: the file of ca_file cannot be read: ENOENT: no such file or directory, open '/nowhere/ca.pem'",
  );
});
