import { choicesOf, regionOf } from "./offers.js";

const offers = {
  flavors: [
    { api_name: "db.t4g.micro", description: "", engines: ["postgres", "mysql"], zones: ["us-east-1a", "us-east-1b"] },
    { api_name: "db.m7g.large", description: "", engines: ["postgres"], zones: ["us-east-1c"] },
  ],
  engine_versions: { postgres: ["16.15"], mysql: ["8.4.9"] },
};
const names = (values: Record<string, string>, path: string) =>
  choicesOf(offers, values)[`database_server.${path}`]?.map(([value]) => value);

it("offers the versions and flavors of the chosen engine", () => {
  expect(names({}, "engine")).toEqual(["mysql", "postgres"]);
  expect(names({}, "version")).toEqual([]);
  const mysql = { "database_server.engine": "mysql" };
  expect(names(mysql, "version")).toEqual(["8.4.9"]);
  expect(names(mysql, "flavor")).toEqual(["db.t4g.micro"]);
});

it("offers the zones of the chosen flavor, or of all that fit", () => {
  expect(names({}, "location")).toEqual(["us-east-1a", "us-east-1b", "us-east-1c"]);
  const large = { "database_server.engine": "postgres", "database_server.flavor": "db.m7g.large" };
  expect(names(large, "location")).toEqual(["us-east-1c"]);
});

it("finds the region of a zone", () => {
  expect([regionOf("eu-west-1b"), regionOf("eu-west-1")]).toEqual(["eu-west-1", "eu-west-1"]);
});
