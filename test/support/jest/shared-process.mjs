import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { ModernFakeTimers } from "@jest/fake-timers";
import { ModuleMocker } from "jest-mock";
import { recordStatements } from "./record-statements.mjs";

recordStatements();

/** An environment of Jest without a realm of its own: the tests run in the globals of the process, which other files share. */
export default class SharedProcess {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  fakeTimers = null;
  #console = globalThis.console;
  #exit = process.exit;

  #file;
  #quarantine;
  #unseen;

  constructor({ projectConfig }, { testPath }) {
    const { rootDir, testEnvironmentOptions } = projectConfig;
    for (const file of Object.keys(testEnvironmentOptions.quarantine))
      if (!existsSync(join(rootDir, file))) throw new Error(`The quarantine names ${file}, which does not exist.`);
    this.#file = relative(rootDir, testPath);
    this.#quarantine = testEnvironmentOptions.quarantine[this.#file] ?? [];
    this.#unseen = new Set(this.#quarantine);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {
    // Jest looks for source maps in its own transforms. Node has those of tsx, and uses them unless this is set.
    Error.prepareStackTrace = undefined;
  }

  /** What was opened last is closed first: hooks after tests run from the last to the first, those of a file before those of set-up files. */
  handleTestEvent({ name, test }, { rootDescribeBlock }) {
    if (name === "run_start") reverseHooksAfterTests(rootDescribeBlock);
    if (name === "test_start") this.#unseen.delete(titleOf(test));
    if (name === "test_done" && this.#quarantine.includes(titleOf(test))) this.#excuse(test);
    if (name === "run_finish" && this.#unseen.size > 0)
      throw new Error(`The quarantine names tests that ${this.#file} lacks: ${[...this.#unseen].join(", ")}`);
  }

  #excuse(test) {
    const failures = test.errors
      .splice(0)
      .flat()
      .filter(Boolean)
      .map((error) => error.stack ?? error);
    console.log(
      ["QUARANTINED", failures.length ? "failed:" : "passed:", this.#file, titleOf(test), ...failures].join(" "),
    );
  }

  async teardown() {
    this.moduleMocker.restoreAllMocks();
    this.fakeTimersModern.dispose();
    globalThis.console = this.#console;
    process.exit = this.#exit;
  }

  getVmContext() {
    return globalThis;
  }
}

function titleOf(test) {
  const titles = [];
  // The root block has no parent and no title.
  for (let block = test; block.parent; block = block.parent) titles.unshift(block.name);
  return titles.join(" ");
}

function reverseHooksAfterTests(block) {
  const isAfter = ({ type }) => type.startsWith("after");
  block.hooks = [...block.hooks.filter((hook) => !isAfter(hook)), ...block.hooks.filter(isAfter).reverse()];
  for (const child of block.children) if (child.type === "describeBlock") reverseHooksAfterTests(child);
}
