import { Agent, request } from "node:http";
import { clockOf } from "./account-clock.js";
import type { AwsResponse } from "./aws-response.js";
import type { Call } from "./call.js";
import { all, parseXml, text, type Xml } from "./xml.js";

const VERSIONS: Record<string, string> = {
  autoscaling: "2011-01-01",
  ec2: "2016-11-15",
  iam: "2010-05-08",
  rds: "2014-10-31",
  sts: "2011-06-15",
};

const MAX_ATTEMPTS = 3;

/** The caller and the region that the proxy's own queries to the emulator act for. */
export type Caller = Pick<Call, "accessKeyId" | "region"> & Partial<Pick<Call, "headers">>;

/** The emulator that the proxy calls. */
export class Emulator {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 128 });
  private readonly accounts = new Map<string, Promise<string>>();

  constructor(readonly url: string) {}

  /** Forwards a call and returns the complete response. Rejects when the emulator is unreachable. */
  forward({ method, path, headers, body }: Pick<Call, "method" | "path" | "headers" | "body">): Promise<AwsResponse> {
    return new Promise((resolve, reject) => {
      const outgoing = request(new URL(path, this.url), { method, headers, agent: this.agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          // Both headers concern only the connection to the emulator, which the emulator closes after every response.
          const { "transfer-encoding": _, connection: __, ...kept } = response.headers;
          resolve({ status: response.statusCode ?? 500, headers: kept, body: Buffer.concat(chunks) });
        });
      });
      outgoing.on("error", reject);
      outgoing.end(body);
    });
  }

  /**
   * Queries a service as the caller and returns the response's text; the emulator checks no signatures. Retries a 5xx,
   * which concurrent queries sometimes get, and throws after the last attempt.
   */
  async query(
    { accessKeyId, region, headers: sent = {} }: Caller,
    service: string,
    params: Record<string, string>,
  ): Promise<string> {
    const body = Buffer.from(new URLSearchParams({ Version: VERSIONS[service] ?? "", ...params }).toString());
    const scope = `${accessKeyId}/20260101/${region || "us-east-1"}/${service}/aws4_request`;
    const headers = {
      ...clockOf(sent),
      "content-type": "application/x-www-form-urlencoded",
      "content-length": String(body.length),
      authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=none`,
    };
    for (let attempt = 1; ; attempt++) {
      const { status, body: text } = await this.forward({ method: "POST", path: "/", headers, body });
      if (status < 500) return text.toString();
      if (attempt === MAX_ATTEMPTS) throw new Error(`The emulator failed at ${params.Action} with status ${status}.`);
    }
  }

  /**
   * Queries a service and returns the parsed response; for the Query services, the contents of the result element. Of a
   * list that the emulator cuts, which it does after 15 to 100 objects, the pages in an array.
   */
  async read(caller: Caller, service: string, params: Record<string, string>): Promise<Xml> {
    const pages: Xml[] = [];
    for (let token: Record<string, string> | undefined = {}; token; token = nextPageOf(pages.at(-1))) {
      const response = parseXml(await this.query(caller, service, { ...params, ...token }));
      pages.push(service === "ec2" ? response : (all(response, `${params.Action}Result`)[0] ?? ""));
    }
    return pages.length === 1 ? (pages[0] as Xml) : pages;
  }

  /** Returns a key of a session in an account. The emulator lets every caller assume a role, also one that does not exist. */
  async accessKeyIn(accountId: string): Promise<string> {
    const caller = { accessKeyId: "AKIAIOSFODNN7EXAMPLE", region: "us-east-1" };
    const params = { RoleArn: `arn:aws:iam::${accountId}:role/gantry`, RoleSessionName: "gantry" };
    const assumed = await this.read(caller, "sts", { Action: "AssumeRole", ...params });
    const key = text(assumed, "Credentials", "AccessKeyId");
    if (!key) throw new Error(`The emulator gave no session in the AWS account ${accountId}.`);
    return key;
  }

  /** Returns the id of the AWS account that an access key acts in. */
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

/** EC2 and Auto Scaling name the token of the next page in another way than IAM and RDS. */
function nextPageOf(page: Xml | undefined): Record<string, string> | undefined {
  const next = text(page, "nextToken") || text(page, "NextToken");
  const marker = text(page, "Marker");
  return next ? { NextToken: next } : marker ? { Marker: marker } : undefined;
}
