import { poolUse } from "@gantry/db";
import { directDatabaseUrl } from "@gantry/runtime";
import {
  apiRegistry,
  installationRegistry,
  type Observed,
  processInfo,
  processRegistry,
  showConnections,
  waitingCalls,
} from "@gantry/telemetry";
import express, { type Express, type RequestHandler } from "express";
import helmet from "helmet";
import qs from "qs";
import { webConsole } from "./console.js";
import { docs } from "./docs/docs.js";
import { health } from "./health.js";
import { recordRefusals } from "./http/audit/refusals.js";
import { Identities } from "./http/auth/identities.js";
import { TrustedIssuers } from "./http/auth/trusted-issuers.js";
import type { AppContext, AppDependencies } from "./http/context.js";
import { errorHandler, routeNotFound } from "./http/errors/error-handler.js";
import { EventFeed } from "./http/events/event-feed.js";
import { RequestCompletions } from "./http/events/request-completions.js";
import { logInput } from "./http/input/log-input.js";
import { Throttle } from "./http/limits/throttle.js";
import { UnfinishedRequestLimit } from "./http/limits/unfinished-request-limit.js";
import { WaitingLimit } from "./http/limits/waiting-limit.js";
import { mount } from "./http/mount.js";
import { describe } from "./http/openapi/document.js";
import { requireUtf8Url } from "./http/server/body.js";
import { fixedHeaders } from "./http/server/fixed-headers.js";
import { version } from "./http/version.js";
import { installationMetrics } from "./installation-metrics.js";
import { queueErrorPage } from "./queues/page.js";
import { queues } from "./queues/queues.js";
import { readinessOf } from "./readiness.js";
import { endpoints } from "./resources/index.js";
import { signIn } from "./sign-in/sign-in.js";

/** The application. `close` ends long polls at once and leaves no timer or connection open. */
export interface Application {
  app: Express;
  /** What it shows on the metrics port. */
  observed: Observed;
  close(): Promise<void>;
}

/** A server reports a few dozen times while it is set up. */
const REPORTS_PER_MINUTE = 60;

/** Builds the application, which opens no connection before its first input. */
export function buildApp(dependencies: AppDependencies): Application {
  const { env, db, redis, log } = dependencies;
  const completions = new RequestCompletions(directDatabaseUrl(env), log);
  const { RATE_LIMIT_PER_MINUTE: perMinute, ANONYMOUS_RATE_LIMIT_PER_MINUTE: anonymous } = env;
  const throttle = new Throttle(redis, env.QUEUE_PREFIX, {
    read: perMinute,
    write: perMinute,
    anyone: anonymous,
    report: perMinute,
    refused: 5 * anonymous,
    "report of a Request": REPORTS_PER_MINUTE,
    "failed sign-in": env.FAILED_SIGN_INS_PER_MINUTE,
  });
  const identities = new Identities(db, dependencies.keys.tokens);
  const unfinishedRequests = new UnfinishedRequestLimit(env.OPEN_REQUESTS_PER_ACCOUNT);
  const events = new EventFeed(db, log);
  const waiting = new WaitingLimit();
  const appContext: AppContext = {
    ...dependencies,
    completions,
    identities,
    throttle,
    trustedIssuers: new TrustedIssuers(env.TRUSTED_ISSUERS, log),
    unfinishedRequests,
    events,
    waiting,
  };
  const board = queues(appContext);
  const readiness = readinessOf(appContext);
  const refreshInstallation = installationMetrics(appContext, async () => (await readiness()).event_horizon_seconds);
  processInfo.set({ app: "api", version }, 1);

  const app = express();
  app.disable("x-powered-by").disable("etag").set("query parser", parseQuery).set("trust proxy", env.TRUST_PROXY);
  // The operator decides between HTTP and HTTPS.
  const security = helmet({ contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } });
  app.use(logInput(log), fixedHeaders(security), showVersion, requireUtf8Url);
  app.use(mount(endpoints, appContext));
  app.use(
    health(readiness),
    signIn(appContext),
    docs(() => openApi(env.BASE_URL), throttle),
    board.routes,
    webConsole(env.CONSOLE_FILES),
  );
  app.use(routeNotFound, recordRefusals(appContext));
  app.use("/queues", queueErrorPage);
  app.use(errorHandler(log, env.BASE_URL));
  return {
    app,
    observed: {
      registries: [processRegistry, apiRegistry, installationRegistry],
      readiness,
      refresh: () => {
        waitingCalls.set(waiting.count);
        showConnections(poolUse(db));
        return refreshInstallation();
      },
    },
    close: async () => {
      throttle.close();
      await Promise.all([completions.close(), events.close(), board.close()]);
    },
  };
}

const showVersion: RequestHandler = (_input, res, next) => {
  res.setHeader("Gantry-Version", version);
  next();
};

/** The description of all endpoints, as `/openapi/document.json` and the repository hold it. */
export function openApi(baseUrl = "/"): object {
  return describe(endpoints, version, baseUrl);
}

// `a[]=1&a[]=2` is a list and a bare `a` is null; no parameter has a deeper structure.
function parseQuery(text: string): object {
  return qs.parse(text, { strictNullHandling: true, depth: 1, parameterLimit: 200, arrayLimit: 100 });
}
