import express, { type RequestHandler, type Response, Router } from "express";
import helmet from "helmet";
import { auditOf } from "../http/audit/audit.js";
import { authenticate } from "../http/auth/authenticate.js";
import type { Identity } from "../http/auth/caller.js";
import type { AppContext } from "../http/context.js";
import { forbidden } from "../http/errors/errors.js";
import { BoardConnection } from "./board-connection.js";
import { signInPage } from "./page.js";
import { actionOf, type QueueAction } from "./queue-action.js";
import { requireSameOrigin, Session } from "./session.js";

const STAFF_ONLY = "only staff can see the queues";
const NO_SUCH_ACT =
  "this queue operation is not available; to retry a failed Request, call POST /requests/:request/retry";

/** The board's pages contain their styles, and load nothing from other hosts. */
const contentSecurityPolicy = helmet.contentSecurityPolicy({
  directives: {
    styleSrc: ["'self'", "'unsafe-inline'"],
    fontSrc: ["'self'"],
    upgradeInsecureRequests: null,
  },
});

/** Pages for staff about the queues in Redis, with the routes by which a browser signs in to them. */
export function queues(appContext: AppContext): { routes: RequestHandler; close(): Promise<void> } {
  const connection = new BoardConnection(appContext.env);
  const session = new Session(appContext.env);
  const mayRead = authenticate(
    { access: "read", staffOnly: STAFF_ONLY, method: "GET", ignoresCookie: true },
    appContext,
  );
  const mayChange = authenticate(
    { access: "admin", staffOnly: STAFF_ONLY, method: "PUT", ignoresCookie: true },
    appContext,
  );

  const signIn: RequestHandler = (input, res) => {
    session.start(res, input.body.token.trim());
    res.redirect(303, "/queues");
  };
  const showBoard: RequestHandler = async (input, res, next) => {
    const { readOnly, withActs } = await connection.open();
    const { scopes } = res.locals.identity as Identity;
    (scopes.has("admin") ? withActs : readOnly)(input, res, next);
  };
  const allowAction: RequestHandler = (input, res, next) => {
    const allowed = actionOf(input.method, input.path);
    if (!allowed) throw forbidden(NO_SUCH_ACT);
    recordAction(allowed, input, res);
    next();
  };

  // The audit records the change before the answer reports it.
  function recordAction(done: QueueAction, input: Parameters<typeof auditOf>[0], res: Response): void {
    const answer = res.json.bind(res);
    res.json = (body) => {
      const { statusCode: status } = res;
      auditOf(input, res.locals)
        .write(appContext.db, { ...done, status })
        .catch((err: unknown) =>
          appContext.log.error({ trace_id: res.locals.traceId, err }, "recording a queue action failed"),
        )
        .finally(() => answer(body));
      return res;
    };
  }

  const router = Router({ caseSensitive: true })
    .use((input, res, next) => {
      if (!input.path.startsWith("/static/")) res.setHeader("Cache-Control", "no-store");
      next();
    })
    .get("/sign-out", (_input, res) => {
      session.end(res);
      res.type("html").send(signInPage("You are signed out."));
    })
    .use((input, res, next) => (isChange(input.method) ? requireSameOrigin(input, res, next) : next()))
    .post("/sign-in", express.urlencoded({ extended: false, limit: "4kb" }), tokenOfForm, mayRead, signIn)
    .use(session.use)
    .use((input, res, next) => (isChange(input.method) ? mayChange : mayRead)(input, res, next))
    .use((input, res, next) => (isChange(input.method) ? allowAction(input, res, next) : next()))
    .use(contentSecurityPolicy, showBoard);
  return { routes: Router().use("/queues", router), close: () => connection.close() };
}

const tokenOfForm: RequestHandler = (input, _res, next) => {
  input.body = { token: String(input.body?.token ?? "") };
  input.headers.authorization = `Bearer ${input.body.token.trim()}`;
  next();
};

function isChange(method: string): boolean {
  return method !== "GET" && method !== "HEAD";
}
