import {
  DescribeInstanceAttributeCommand,
  DescribeInstancesCommand,
  DescribeLaunchTemplateVersionsCommand,
  DescribeTagsCommand,
} from "@aws-sdk/client-ec2";
import type { Db } from "@gantry/db";
import type { AwsAccount } from "@gantry/local-stack";
import type { Env } from "@gantry/runtime";
import { awsOpener } from "@gantry/worker";
import { Redis } from "ioredis";
import { REGION } from "../support/account.js";

/** What each place holds, as text. */
export type Places = Record<string, string>;

/** The rows of each table. Bytes show as hexadecimal digits. */
export async function tables(db: Db): Promise<Places> {
  await db.$queryRaw`SELECT link_audit_records()`;
  const names = await db.$queryRaw<{ name: string }[]>`
    SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`;
  const found: Places = {};
  for (const { name } of names) {
    const rows = await db.$queryRawUnsafe<{ row: string }[]>(`SELECT t::text AS row FROM "${name}" t`);
    found[`table ${name}`] = rows.map(({ row }) => row).join("\n");
  }
  return found;
}

/** The keys of an installation in Redis, with their values. */
export async function redisText({ REDIS_URL, QUEUE_PREFIX }: Pick<Env, "REDIS_URL" | "QUEUE_PREFIX">): Promise<string> {
  const redis = new Redis(REDIS_URL);
  try {
    const found: unknown[] = [];
    for (const key of await redis.keys(`*${QUEUE_PREFIX.replace(/[{}]/g, "")}*`)) {
      const type = await redis.type(key);
      if (type === "string") found.push(key, await redis.get(key));
      if (type === "hash") found.push(key, await redis.hgetall(key));
      if (type === "list") found.push(key, await redis.lrange(key, 0, -1));
      if (type === "zset") found.push(key, await redis.zrange(key, "0", "-1"));
      if (type === "set") found.push(key, await redis.smembers(key));
      if (type === "stream") found.push(key, await redis.xrange(key, "-", "+"));
    }
    return JSON.stringify(found);
  } finally {
    await redis.quit();
  }
}

/** What an AWS account shows of its tags, user data and launch templates. */
export async function awsText(account: AwsAccount): Promise<Places> {
  const { ec2 } = awsOpener(10)(REGION, account);
  const { Tags } = await ec2.send(new DescribeTagsCommand({}));
  const { Reservations = [] } = await ec2.send(new DescribeInstancesCommand({}));
  const userData: string[] = [];
  for (const { InstanceId } of Reservations.flatMap(({ Instances = [] }) => Instances)) {
    const { UserData } = await ec2.send(new DescribeInstanceAttributeCommand({ InstanceId, Attribute: "userData" }));
    userData.push(decoded(UserData?.Value));
  }
  const versions = new DescribeLaunchTemplateVersionsCommand({ Versions: ["$Latest"] });
  const { LaunchTemplateVersions = [] } = await ec2.send(versions);
  const templates = LaunchTemplateVersions.map(({ LaunchTemplateData }) => decoded(LaunchTemplateData?.UserData));
  return { tags: JSON.stringify(Tags), "user data": userData.join("\n"), "launch templates": templates.join("\n") };
}

/** User data with its settings, which it holds in base64. */
function decoded(userData = ""): string {
  const script = Buffer.from(userData, "base64").toString();
  const settings = /^SETTINGS = "(.*)"$/m.exec(script)?.[1] ?? "";
  return `${script}\n${Buffer.from(settings, "base64")}`;
}

/** True if the text holds the secret, as it is or as encodings write it. */
export function holds(text: string, secret: string): boolean {
  const bytes = Buffer.from(secret);
  const forms = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), bytes.toString("hex")];
  // In the midst of a longer text in base64 the first and last characters differ.
  for (const offset of [0, 1, 2]) {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
    forms.push(padded.toString("base64").slice(4, -4), padded.toString("base64url").slice(4, -4));
  }
  return forms.some((form) => text.includes(form));
}
