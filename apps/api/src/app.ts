import { createRequire } from "node:module";
import express, { type Express } from "express";
import helmet from "helmet";
import qs from "qs";
import { docs } from "./docs.js";
import { health } from "./health.js";
import type { AppContext, AppDependencies } from "./http/context.js";
import { Identities } from "./http/identities.js";
import { errorHandler, logInput, routeNotFound } from "./http/log-input.js";
import { mount } from "./http/mount.js";
import { describe } from "./http/openapi.js";
import { RequestCompletions } from "./http/request-completions.js";
import { Throttle } from "./http/throttle.js";
import { endpoints } from "./resources/index.js";

const { version } = createRequire(import.meta.url)("../package.json") as { version: string };

/** The application, and what ends it: long polls answer at once and nothing of it is left open. */
export interface Application {
  app: Express;
  close(): Promise<void>;
}

/** Builds the application; it connects to nothing before it is asked something. */
export function buildApp(parts: AppDependencies): Application {
  const { env, db, redis, log } = parts;
  const completions = new RequestCompletions(env.DATABASE_URL, log);
  const appContext: AppContext = { ...parts, completions, identities: new Identities(db, env.MASTER_KEY) };
  const { RATE_LIMIT_PER_MINUTE: perMinute, ANONYMOUS_RATE_LIMIT_PER_MINUTE: anonymous } = env;
  const throttle = new Throttle(redis, env.QUEUE_PREFIX, {
    read: perMinute,
    write: perMinute,
    anyone: anonymous,
    report: perMinute,
    refused: 5 * anonymous,
  });

  const app = express();
  app.disable("x-powered-by").disable("etag").set("query parser", parseQuery);
  // Whether plain HTTP is spoken is for the one who sets up the server to say.
  const security = helmet({ contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } });
  app.use(logInput(log), security);
  app.use(mount(endpoints, { appContext, throttle }));
  app.use(
    health(appContext),
    docs(() => openApi(env.BASE_URL)),
  );
  app.use(routeNotFound, errorHandler(log));
  return {
    app,
    close: async () => {
      throttle.close();
      await completions.close();
    },
  };
}

/** The description of every endpoint, as it is served and kept in the repository. */
export function openApi(baseUrl = "/"): object {
  return describe(endpoints, version, baseUrl);
}

// `a[]=1&a[]=2` is a list, a bare `a` is null; deeper structures have no meaning here.
function parseQuery(text: string): object {
  return qs.parse(text, { strictNullHandling: true, depth: 1, parameterLimit: 200, arrayLimit: 100 });
}
