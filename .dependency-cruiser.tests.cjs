// Tests outside an app use its package entry. The product's own boundaries stand in .dependency-cruiser.cjs.
const { options } = require("./.dependency-cruiser.cjs");

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: "tests-use-public-entries",
      comment: "Tests outside an app import the app's package entry, not its files.",
      severity: "error",
      from: { path: "^test/" },
      to: {
        path: "^apps/[^/]+/src/",
        pathNot: ["^apps/[^/]+/src/index\\.ts$", "^apps/[^/]+/src/[^/]+/index\\.ts$", "scenarios\\.ts$"],
      },
    },
    {
      name: "apps-are-apart",
      comment: "A test in an app never imports another app.",
      severity: "error",
      from: { path: "^apps/([^/]+)/" },
      to: { path: "^apps/(?!$1/)" },
    },
  ],
  options: { ...options, doNotFollow: { path: "node_modules" }, exclude: { path: "/generated/|/dist/|^\\.gantry" } },
};
