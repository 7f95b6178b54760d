import { types } from "node:util";
import { fromTemporaryCredentials } from "@aws-sdk/credential-providers";
import { SESSION_POLICY } from "@gantry/aws-facts";
import { memoize } from "@smithy/core/config";
import type { NodeHttpHandler } from "@smithy/node-http-handler";
import { LRUCache } from "lru-cache";
import { codeOf } from "../aws-errors.js";

/** A role that trusts Gantry. */
export interface AssumableRole {
  roleArn: string;
  externalId: string;
  /** The name of its sessions, by which CloudTrail shows Gantry's calls. */
  sessionName: string;
  /**
   * The region in which AWS STS opens its sessions, for all regions. A customer's opt-in region may be closed to the worker's
   * AWS account.
   */
  stsRegion: string;
}

type Credentials = Awaited<ReturnType<ReturnType<typeof fromTemporaryCredentials>>>;

/** A session of a role as the clients' credentials. All clients of a role share it, in every region. */
export interface RoleSession {
  (): Promise<Credentials>;
  /** Makes the SDK ask for the credentials at every call instead of keeping its own. */
  memoized: true;
  /** Opens another session at the next call. */
  expire(): void;
}

const MAX_SESSIONS = 1000;
/** The time that a session must have left: the SDK's own clients refresh as early. */
const REFRESH_BEFORE_MS = 5 * 60_000;

/** Returns the function that opens the session of a role, and returns the same one as long as it is in use. */
export function sessionOpener(requestHandler: NodeHttpHandler): (role: AssumableRole) => RoleSession {
  const sessions = new LRUCache<string, RoleSession>({ max: MAX_SESSIONS });
  return (role) => {
    const key = JSON.stringify(role);
    const session = sessions.get(key) ?? openSession(role, requestHandler);
    sessions.set(key, session);
    return session;
  };
}

function openSession(role: AssumableRole, requestHandler: NodeHttpHandler): RoleSession {
  const { roleArn, externalId, sessionName, stsRegion: region } = role;
  const Policy = JSON.stringify(SESSION_POLICY);
  const params = { RoleArn: roleArn, ExternalId: externalId, RoleSessionName: sessionName, Policy };
  const assume = fromTemporaryCredentials({ params, clientConfig: { region, requestHandler } });
  let ended: Credentials | undefined;
  let current: Credentials | undefined;
  const isEnding = (session: Credentials) =>
    session === ended || (session.expiration?.getTime() ?? Number.POSITIVE_INFINITY) - Date.now() < REFRESH_BEFORE_MS;
  const credentials = memoize<Credentials>(
    async () => {
      try {
        current = await assume();
        return current;
      } catch (error) {
        throw sessionError(error);
      }
    },
    isEnding,
    () => true,
  );
  const expire = () => {
    ended = current;
  };
  return Object.assign(() => credentials(), { memoized: true as const, expire });
}

/** The codes by which AWS rejects the caller of AssumeRole, which is the worker itself. */
const UNKNOWN_CALLER =
  /^(CredentialsProvider|InvalidClientTokenId|UnrecognizedClient|InvalidToken|ExpiredToken|InvalidAccessKeyId|MissingAuthenticationToken)/;

/** Names an error of AssumeRole by who can act: the worker's operator, or the owner of the role. */
function sessionError(error: unknown): unknown {
  const code = codeOf(error);
  const name = UNKNOWN_CALLER.test(code)
    ? "WorkerWithoutIdentity"
    : /^AccessDenied/.test(code)
      ? "RoleNotAssumed"
      : undefined;
  return name && types.isNativeError(error) ? Object.assign(error, { name, $metadata: {} }) : error;
}
