import { ModernFakeTimers } from "@jest/fake-timers";
import { ModuleMocker } from "jest-mock";

/** An environment of Jest without a realm of its own: the tests run in the globals of the process, which other files share. */
export default class SharedProcess {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  fakeTimers = null;
  #console = globalThis.console;
  #exit = process.exit;

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {
    // Jest looks for source maps in its own transforms. Node has those of tsx, and uses them unless this is set.
    Error.prepareStackTrace = undefined;
  }

  /** What was opened last is closed first: hooks after tests run from the last to the first, those of a file before those of set-up files. */
  handleTestEvent({ name }, { rootDescribeBlock }) {
    if (name === "run_start") reverseHooksAfterTests(rootDescribeBlock);
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

function reverseHooksAfterTests(block) {
  const isAfter = ({ type }) => type.startsWith("after");
  block.hooks = [...block.hooks.filter((hook) => !isAfter(hook)), ...block.hooks.filter(isAfter).reverse()];
  for (const child of block.children) if (child.type === "describeBlock") reverseHooksAfterTests(child);
}
