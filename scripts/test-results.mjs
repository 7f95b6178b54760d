import { writeFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";

/** A reporter of Vitest that writes what failed into the file that GANTRY_TEST_RESULTS names, as JSON. */
export default class TestResults {
  onTestRunEnd(modules, errors) {
    const files = modules.map(resultOf);
    const passed = files.reduce((sum, file) => sum + file.passed, 0);
    // Errors outside of any test, such as promises that were not awaited.
    writeFileSync(process.env.GANTRY_TEST_RESULTS, JSON.stringify({ files, passed, errors: errors.length }));
  }
}

/** The failed tests of a file; if it failed outside of them, also the failure of the file itself. */
function resultOf(module) {
  const own = module.errors();
  const failed = [...module.children.allTests("failed")];
  const suites = [...module.children.allSuites()].filter((suite) => suite.errors().length > 0);
  return {
    path: module.moduleId,
    passed: [...module.children.allTests("passed")].length,
    failures: [
      ...(own.length > 0 ? [{ title: "the file itself", failure: textOf(own) }] : []),
      ...suites.map((suite) => ({ title: suite.fullName, failure: textOf(suite.errors()) })),
      ...failed.map((test) => ({ title: titleOf(test), failure: textOf(test.result().errors) })),
    ],
  };
}

function titleOf(test) {
  return test.fullName.replaceAll(" > ", " ");
}

function textOf(errors) {
  return stripVTControlCharacters(errors.map(({ message, stack }) => `${message}\n${stack ?? ""}`).join("\n"));
}
