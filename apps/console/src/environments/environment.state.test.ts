import { environmentState, rolesText } from "./environment.state.js";

const server = (state: string, role = "app") => ({ state, role, disappeared_at: null });

it("says how many servers run, and that there are none", () => {
  expect(environmentState([])).toBe("not booted");
  expect(environmentState([server("running"), server("running")])).toBe("running");
  expect(environmentState([server("running"), server("stopped")])).toBe("1 of 2 run");
  expect(environmentState([{ ...server("running"), disappeared_at: "2026-11-28T00:00:00Z" }])).toBe("0 of 1 run");
});

it("counts the servers of each role, in alphabetical order", () => {
  expect(rolesText([server("running", "util"), server("running", "db_slave"), server("running", "util")])).toBe(
    "db slave 1, util 2",
  );
});
