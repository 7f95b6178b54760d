import { Agent, request } from "node:http";
import type { AwsResponse } from "./aws-response.js";
import type { Call } from "./call.js";
import { all, parseXml, type Xml } from "./xml.js";

const VERSIONS: Record<string, string> = {
  autoscaling: "2011-01-01",
  ec2: "2016-11-15",
  iam: "2010-05-08",
  rds: "2014-10-31",
  sts: "2011-06-15",
};

const MAX_ATTEMPTS = 3;

/** Who asks, and where: what the proxy needs to put a question of its own to the emulator in a caller's name. */
export type Caller = Pick<Call, "accessKeyId" | "region">;

/** The emulator behind the proxy. */
export class Emulator {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 128 });
  private readonly accounts = new Map<string, Promise<string>>();

  constructor(readonly url: string) {}

  /** Hands a call on and gives the whole answer. Rejects when the emulator is gone. */
  forward({ method, path, headers, body }: Pick<Call, "method" | "path" | "headers" | "body">): Promise<AwsResponse> {
    return new Promise((resolve, reject) => {
      const sent = request(new URL(path, this.url), { method, headers, agent: this.agent }, (reply) => {
        const chunks: Buffer[] = [];
        reply.on("data", (chunk: Buffer) => chunks.push(chunk));
        reply.on("error", reject);
        reply.on("end", () => {
          // What they say holds for the connection to the emulator alone, which closes its own after every answer.
          const { "transfer-encoding": _, connection: __, ...kept } = reply.headers;
          const whole = Buffer.concat(chunks);
          resolve({ status: reply.statusCode ?? 500, headers: kept, body: whole });
        });
      });
      sent.on("error", reject);
      sent.end(body);
    });
  }

  /**
   * Asks a Query service something in the caller's name and gives the answer's text; the emulator does not check
   * signatures. It sometimes fails where two ask at once: it is asked again, and a failure is never taken for nothing.
   */
  async query({ accessKeyId, region }: Caller, service: string, params: Record<string, string>): Promise<string> {
    const body = Buffer.from(new URLSearchParams({ Version: VERSIONS[service] ?? "", ...params }).toString());
    const scope = `${accessKeyId}/20260101/${region || "us-east-1"}/${service}/aws4_request`;
    const headers = {
      "content-type": "application/x-www-form-urlencoded",
      "content-length": String(body.length),
      authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=none`,
    };
    for (let tries = 1; ; tries++) {
      const answer = await this.forward({ method: "POST", path: "/", headers, body });
      if (answer.status < 500) return answer.body.toString();
      if (tries === MAX_ATTEMPTS)
        throw new Error(`The emulator failed at ${params.Action} with status ${answer.status}.`);
    }
  }

  /** Asks like `ask`, and gives what the answer holds: for the Query services the contents of their result element. */
  async read(caller: Caller, service: string, params: Record<string, string>): Promise<Xml> {
    const answer = parseXml(await this.query(caller, service, params));
    return service === "ec2" ? answer : (all(answer, `${params.Action}Result`)[0] ?? "");
  }

  /** The id of the AWS account that an access key acts in. */
  accountIdOf(accessKeyId: string): Promise<string> {
    let account = this.accounts.get(accessKeyId);
    if (!account) {
      account = this.query({ accessKeyId, region: "us-east-1" }, "sts", { Action: "GetCallerIdentity" }).then(
        (xml) => /<Account>(\d+)<\/Account>/.exec(xml)?.[1] ?? "unknown",
      );
      account.catch(() => this.accounts.delete(accessKeyId));
      this.accounts.set(accessKeyId, account);
    }
    return account;
  }
}
