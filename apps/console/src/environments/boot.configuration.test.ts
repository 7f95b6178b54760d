import { type CustomShape, configurationOf } from "./boot.configuration.js";

const custom: CustomShape = {
  apps: "2",
  appFlavor: "t3.medium",
  dbFlavor: "",
  hasDatabase: true,
  replicas: "1",
  utils: "jobs, mail",
  utilFlavor: "",
};

it("sends only the name of a ready shape, and nothing for a blueprint", () => {
  expect(configurationOf("solo", custom)).toEqual({ "cluster_configuration.configuration": { type: "solo" } });
  expect(configurationOf("blueprint", custom)).toEqual({});
});

it("sends the counts of a custom shape, and flavors only if they were chosen", () => {
  expect(configurationOf("custom", custom)["cluster_configuration.configuration"]).toEqual({
    type: "custom",
    apps: { count: 2, flavor: "t3.medium" },
    db_master: {},
    db_slaves: [{}],
    utils: [{ name: "jobs" }, { name: "mail" }],
  });
  const bare = configurationOf("custom", { ...custom, hasDatabase: false, utils: "" });
  expect(bare["cluster_configuration.configuration"]).toEqual({
    type: "custom",
    apps: { count: 2, flavor: "t3.medium" },
    utils: [],
  });
});
