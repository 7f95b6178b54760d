const order: string[] = [];

describe("hooks after tests", () => {
  afterAll(() => void order.push("first"));
  afterAll(() => void order.push("second"));
  it("run", () => {});
});

it("run from the last to the first, so that what was opened last is closed first", () => {
  expect(order).toEqual(["second", "first"]);
});

describe("an environment variable", () => {
  it("that a test replaces", () => {
    jest.replaceProperty(process, "env", { ...process.env, GANTRY_TEST_MARK: "set" });
    expect(process.env.GANTRY_TEST_MARK).toBe("set");
  });

  it("is back in the next test", () => {
    expect(process.env.GANTRY_TEST_MARK).toBeUndefined();
  });
});
