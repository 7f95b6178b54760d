import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import type { ReactNode } from "react";
import { cache } from "./api.js";
import { sumOf } from "./controls/summary.js";
import { ErrorInFrame, ErrorPage, NotFoundPage } from "./frame/error-page.js";
import type { Place } from "./frame/navigation.js";
import { findPlace } from "./live/event-stream.js";
import { sessionQuery } from "./session/session.js";

type Parameters = Record<string, unknown>;

/** A parameter of the URL, if it is one word. The API refuses a word that it does not know. */
function word(value: unknown): string | undefined {
  return typeof value === "string" && value ? value : typeof value === "number" ? String(value) : undefined;
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
    throw account
      ? redirect({ to: "/$account", params: { account: account.id }, replace: true })
      : redirect({ to: "/accounts", replace: true });
  },
});

const accounts = createRoute({
  getParentRoute: () => root,
  path: "/accounts",
  beforeLoad: ({ location }) => sessionOr(location.href),
  component: lazyRouteComponent(() => import("./accounts/accounts.page.js"), "Page"),
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

/** A page of an account, with the filters that its URL holds. One with a place is in the navigation. */
function page<const TPath extends string, const TFilter extends string = never>(
  path: TPath,
  load: () => Promise<object>,
  { filters = [], place }: { filters?: readonly TFilter[]; place?: Place } = {},
) {
  return createRoute({
    getParentRoute: () => account,
    path,
    validateSearch: (search: Parameters): Partial<Record<TFilter | "cursor" | "tab", string>> =>
      Object.fromEntries(
        ["cursor", "tab", ...filters].flatMap((name) => {
          const value = word(search[name]);
          return value ? [[name, value]] : [];
        }),
      ) as Partial<Record<TFilter | "cursor" | "tab", string>>,
    // The types of the routes must not depend on those of the pages, which use them.
    component: lazyRouteComponent(load as () => Promise<{ Page: () => ReactNode }>, "Page"),
    errorComponent: ErrorInFrame,
    staticData: place ? { place } : {},
  });
}

const AUDIT_FILTERS = ["user", "subject", "action", "since", "until"] as const;

const pages = [
  page("/", () => import("./overview/overview.page.js"), { place: { title: "Overview", icon: "LayoutDashboard" } }),
  page("requests", () => import("./requests/requests.page.js"), {
    filters: ["state", "type", "q"],
    place: { title: "Requests", icon: "ListChecks", count: ({ open_requests }) => sumOf(open_requests) },
  }),
  page("requests/$request", () => import("./requests/request.page.js")),
  page("networks", () => import("./networks/networks.page.js"), {
    place: { title: "Networks", icon: "Network", group: "Infrastructure" },
  }),
  page("networks/new", () => import("./networks/provision.page.js")),
  page("networks/$id", () => import("./networks/network.page.js")),
  page("environments", () => import("./environments/environments.page.js"), {
    filters: ["q"],
    place: { title: "Environments", icon: "Boxes", group: "Infrastructure" },
  }),
  page("environments/$id", () => import("./environments/environment.page.js")),
  page("environments/$id/boot", () => import("./environments/boot.page.js")),
  page("applications", () => import("./applications/applications.page.js"), {
    filters: ["q"],
    place: { title: "Applications", icon: "AppWindow", group: "Infrastructure" },
  }),
  page("applications/$id", () => import("./applications/application.page.js")),
  page("databases", () => import("./databases/databases.page.js"), {
    filters: ["q", "environment"],
    place: { title: "Databases", icon: "Database", group: "Infrastructure" },
  }),
  page("databases/new", () => import("./databases/provision.page.js")),
  page("databases/$id", () => import("./databases/database.page.js")),
  page("database-servers/$id", () => import("./databases/database-server.page.js")),
  page("groups", () => import("./groups/groups.page.js"), {
    place: { title: "Groups", icon: "Scaling", group: "Infrastructure" },
  }),
  page("groups/$id", () => import("./groups/group.page.js")),
  page("servers", () => import("./servers/servers.page.js"), {
    filters: ["q", "state", "role", "environment", "network"],
    place: { title: "Servers", icon: "Server", group: "Infrastructure" },
  }),
  page("servers/$id", () => import("./servers/server.page.js")),
  page("firewalls", () => import("./firewalls/firewalls.page.js"), {
    filters: ["q"],
    place: { title: "Firewalls", icon: "ShieldCheck", group: "Infrastructure" },
  }),
  page("firewalls/$id", () => import("./firewalls/firewall.page.js")),
  page("storage", () => import("./storage/storage.page.js"), {
    place: { title: "Storage", icon: "HardDrive", group: "Infrastructure" },
  }),
  page("volumes/$id", () => import("./storage/volume.page.js")),
  page("addresses/$id", () => import("./storage/address.page.js")),
  page("snapshots/$id", () => import("./storage/snapshot.page.js")),
  page("roles", () => import("./roles/roles.page.js"), {
    filters: ["q"],
    place: { title: "Roles", icon: "UserCog", group: "Infrastructure" },
  }),
  page("roles/$id", () => import("./roles/role.page.js")),
  page("drift", () => import("./drift/drift.page.js"), {
    filters: ["finding", "provisioned_id"],
    place: { title: "Drift", icon: "Diff", group: "Operations", count: ({ drift }) => sumOf(drift) },
  }),
  page("alerts", () => import("./alerts/alerts.page.js"), {
    filters: ["q", "severity"],
    place: { title: "Alerts", icon: "Siren", group: "Operations", count: ({ alerts }) => sumOf(alerts) },
  }),
  page("events", () => import("./events/events.page.js"), {
    filters: ["type", "subject"],
    place: { title: "Events", icon: "Radio", group: "Operations" },
  }),
  page("webhooks", () => import("./webhooks/webhooks.page.js"), {
    place: { title: "Webhooks", icon: "Webhook", group: "Operations" },
  }),
  page("webhooks/$id", () => import("./webhooks/webhook.page.js"), { filters: ["state"] }),
  page("audit", () => import("./audit/audit.page.js"), {
    filters: AUDIT_FILTERS,
    place: { title: "Audit", icon: "ScrollText", group: "Operations" },
  }),
  page("providers", () => import("./providers/providers.page.js"), {
    place: { title: "Providers", icon: "Cloud", group: "Account" },
  }),
  page("providers/$id", () => import("./providers/provider.page.js")),
  page("tokens", () => import("./tokens/tokens.page.js"), {
    place: { title: "Tokens", icon: "KeyRound", group: "Account" },
  }),
  page("people", () => import("./people/people.page.js"), {
    place: { title: "People", icon: "Users", group: "Account" },
  }),
  page("settings", () => import("./settings/settings.page.js"), {
    place: { title: "Settings", icon: "Settings", group: "Account" },
  }),
  page("profile", () => import("./profile/profile.page.js")),
  page("staff", () => import("./staff/staff.page.js"), {
    place: { title: "Queues and workers", icon: "Activity", group: "Installation", isStaff: true },
  }),
  page("staff/users", () => import("./staff/users.page.js"), {
    filters: ["q", "email"],
    place: { title: "Users", icon: "UserRound", group: "Installation", isStaff: true },
  }),
  page("staff/audit", () => import("./audit/installation-audit.page.js"), {
    filters: AUDIT_FILTERS,
    place: { title: "Installation audit", icon: "ShieldCheck", group: "Installation", isStaff: true },
  }),
] as const;

async function sessionOr(returnTo: string) {
  const { session } = await cache.ensureQueryData(sessionQuery);
  if (!session) throw redirect({ to: "/sign-in", search: { return_to: returnTo }, replace: true });
  return session;
}

export const router = createRouter({
  routeTree: root.addChildren([signIn, first, accounts, account.addChildren(pages)]),
  basepath: "/console",
  defaultErrorComponent: ErrorPage,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
  interface StaticDataRouteOption {
    place?: Place;
  }
}
