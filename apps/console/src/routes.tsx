import type { Request } from "@gantry/client";
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { cache } from "./api.js";
import { ErrorPage, NotFoundPage } from "./frame/error-page.js";
import { findPlace } from "./live/event-stream.js";
import type { RequestFilters } from "./requests/requests.queries.js";
import { sessionQuery } from "./session/session.js";

type Parameters = Record<string, unknown>;

interface Place {
  cursor?: string | undefined;
}

/** A parameter of the URL, if it is one word. The API refuses a word that it does not know. */
function word<T extends string>(value: unknown): T | undefined {
  return typeof value === "string" && value ? (value as T) : undefined;
}

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFoundPage });

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  // A link must not lead to another site.
  validateSearch: ({ return_to: to }: Parameters): { return_to?: string | undefined } => ({
    return_to: typeof to === "string" && /^\/(?![/\\])/.test(to) ? to : undefined,
  }),
  component: lazyRouteComponent(() => import("./session/sign-in.page.js"), "Page"),
});

const first = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: async ({ location }) => {
    const [account] = (await sessionOr(location.href)).accounts;
    if (account) throw redirect({ to: "/$account", params: { account: account.id }, replace: true });
  },
  component: NotFoundPage,
});

const account = createRoute({
  getParentRoute: () => root,
  path: "/$account",
  beforeLoad: async ({ location, params }) => {
    await sessionOr(location.href);
    await findPlace(params.account);
  },
  component: lazyRouteComponent(() => import("./frame/frame.js"), "Page"),
});

const pages = [
  createRoute({
    getParentRoute: () => account,
    path: "/",
    component: lazyRouteComponent(() => import("./overview/overview.page.js"), "Page"),
  }),
  createRoute({
    getParentRoute: () => account,
    path: "requests",
    validateSearch: ({ state, type, q, cursor }: Parameters): RequestFilters & Place => ({
      state: word<Request["state"]>(state),
      type: word<Request["type"]>(type),
      q: word(q),
      cursor: word(cursor),
    }),
    component: lazyRouteComponent(() => import("./requests/requests.page.js"), "Page"),
  }),
  createRoute({
    getParentRoute: () => account,
    path: "requests/$request",
    component: lazyRouteComponent(() => import("./requests/request.page.js"), "Page"),
  }),
  createRoute({
    getParentRoute: () => account,
    path: "networks",
    validateSearch: ({ cursor }: Parameters): Place => ({ cursor: word(cursor) }),
    component: lazyRouteComponent(() => import("./networks/networks.page.js"), "Page"),
  }),
  createRoute({
    getParentRoute: () => account,
    path: "networks/new",
    component: lazyRouteComponent(() => import("./networks/provision.page.js"), "Page"),
  }),
] as const;

async function sessionOr(returnTo: string) {
  const { session } = await cache.ensureQueryData(sessionQuery);
  if (!session) throw redirect({ to: "/sign-in", search: { return_to: returnTo }, replace: true });
  return session;
}

export const router = createRouter({
  routeTree: root.addChildren([signIn, first, account.addChildren(pages)]),
  basepath: "/console",
  defaultErrorComponent: ErrorPage,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
