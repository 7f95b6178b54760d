// Who may import whom. Type imports count. docs/architecture.md draws the same arrows. scripts/check-boundaries.ts checks
// these rules, and that no folder has a circle.
const TESTS = "\\.(test|scenarios)\\.ts$";

/** Files below `from`, tests aside, may not import `to`. */
function forbid(name, from, to, comment) {
  return { name, comment, severity: "error", from: { path: from, pathNot: TESTS }, to: { path: to } };
}

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: "no-circle",
      comment: "Files import downwards only.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "resolvable",
      comment: "Every import resolves; the console's build resolves those of operations, and fails for an unknown one.",
      severity: "error",
      from: {},
      to: { couldNotResolve: true, pathNot: "^operation:" },
    },

    forbid("packages-know-no-app", "^packages/", "^apps/", "Two apps use a package; a package uses none."),
    forbid(
      "command-uses-the-client",
      "^apps/cli/",
      "^(packages/(?!client/)|apps/(?!cli/))",
      "The command knows the API only.",
    ),
    forbid(
      "console-uses-the-client",
      "^apps/console/",
      "^(packages/(?!client/)|apps/(?!console/))",
      "The console knows the API only.",
    ),
    forbid(
      "client-is-alone",
      "^packages/client/",
      "^packages/(?!client/)",
      "The client is for people without this repository.",
    ),
    forbid("runtime-is-lowest", "^packages/runtime/", "^packages/(?!runtime/)", "runtime imports no other package."),
    forbid(
      "telemetry-above-runtime",
      "^packages/telemetry/",
      "^packages/(?!(telemetry|runtime)/)",
      "telemetry imports runtime only.",
    ),
    forbid(
      "db-below-resources",
      "^packages/db/",
      "^packages/(?!(db|runtime|telemetry|schema-engine)/)",
      "db imports runtime and telemetry only.",
    ),
    forbid("aws-facts-are-lowest", "^packages/aws-facts/", "^packages/(?!aws-facts/)", "Facts of AWS import nothing."),
    forbid(
      "resources-below-requests",
      "^packages/resources/",
      "^packages/(?!(resources|aws-facts|db)/)",
      "resources import db and the facts of AWS.",
    ),
    forbid(
      "queue-knows-no-resource",
      "^packages/queue/",
      "^packages/(?!(queue|db|runtime|telemetry)/)",
      "The queue imports db, telemetry and runtime.",
    ),
    forbid(
      "requests-beside-queue",
      "^packages/requests/",
      "^packages/(?!(requests|resources|db|runtime|telemetry)/)",
      "Requests are rows: their jobs are the queue's.",
    ),
    forbid("apps-are-apart", "^apps/([^/]+)/", "^apps/(?!$1/)", "An app never imports another app."),
    forbid(
      "no-test-equipment-in-production",
      "^(apps|packages/(?!local-stack/))",
      "^(test|packages/local-stack)/",
      "Test equipment stays out of production.",
    ),

    forbid(
      "http-knows-no-resource",
      "^apps/api/src/http/",
      "^apps/api/src/(resources/|[^/]+$)",
      "The frame knows no resource.",
    ),
    forbid(
      "resources-below-app",
      "^apps/api/src/resources/",
      "^apps/api/src/[^/]+$",
      "Resources know the frame, not the app.",
    ),
    {
      name: "endpoints-are-apart",
      comment: "An endpoints file never imports another; share a *.rules.ts or the resource.",
      severity: "error",
      from: { path: "\\.endpoints\\.ts$" },
      to: { path: "\\.endpoints\\.ts$" },
    },

    forbid(
      "engine-knows-no-cloud",
      "^apps/worker/src/engine/",
      "^apps/worker/src/(?!engine/)",
      "The engine knows neither AWS nor workflows.",
    ),
    forbid(
      "aws-below-workflows",
      "^apps/worker/src/aws/",
      "^apps/worker/src/(?!aws/|engine/(cloud-kind|with-lease|error-policy)\\.ts$)",
      "A cloud object knows AWS and the engine's cloud-kind, lease and error policy.",
    ),
    forbid(
      "aws-knows-no-record",
      "^apps/worker/src/aws/",
      "^packages/(db|queue|requests|resources)/",
      "A cloud object knows no record.",
    ),
    forbid(
      "drift-beside-workflows",
      "^apps/worker/src/(drift|offers)/",
      "^apps/worker/src/(workflows/|[^/]+$)",
      "The scan imports no workflow.",
    ),
    forbid(
      "workflows-below-app",
      "^apps/worker/src/workflows/",
      "^apps/worker/src/[^/]+$",
      "Workflows know the engine, AWS and drift.",
    ),
    forbid(
      "sdk-in-aws-only",
      "^(packages/(?!local-stack/)|apps/(?!worker/src/aws/))",
      "node_modules/(@aws-sdk|@smithy)/",
      "Only apps/worker/src/aws calls AWS.",
    ),
  ],
  options: {
    doNotFollow: { path: "node_modules|^test/" },
    exclude: { path: `/generated/|/dist/|${TESTS}` },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      conditionNames: ["gantry-source", "import", "node", "default"],
      exportsFields: ["exports"],
    },
  },
};
