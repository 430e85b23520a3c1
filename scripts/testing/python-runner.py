"""Runs unittest files with the output format of `bun test`, so that one parser handles all
runners."""

import importlib
import os
import sys
import time
import traceback
import unittest


def say(text):
    sys.stderr.write(text)
    sys.stderr.flush()


def name_of(test):
    """Returns the name without the module, which is the file above."""
    case = getattr(test, "test_case", test)
    method = getattr(case, "_testMethodName", None)
    return test.id() if method is None else "%s.%s" % (type(case).__name__, method)


class Result(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self.counts = {"pass": 0, "fail": 0, "skip": 0}
        self.files = set()
        self._file = None
        self._started = 0.0
        self._is_told = False

    def startTest(self, test):
        super().startTest(test)
        file = os.path.relpath(sys.modules[type(test).__module__].__file__)
        if file != self._file:
            self._file = file
            self.files.add(file)
            say("\n%s:\n" % file)
        self._started = time.monotonic()
        self._is_told = False

    def addSuccess(self, test):
        if not self._is_told:
            self._tell("pass", test)

    def addFailure(self, test, err):
        self._fail(test, err)

    def addError(self, test, err):
        self._fail(test, err)

    def addSubTest(self, test, subtest, err):
        # A test with several failing subtests is one failure with several messages.
        if err is not None:
            say("".join(traceback.format_exception(*err)))
            if not self._is_told:
                self._tell("fail", subtest)

    def addSkip(self, test, reason):
        self._tell("skip", test, " [%s]" % reason)

    def addExpectedFailure(self, test, err):
        self._tell("pass", test)

    def addUnexpectedSuccess(self, test):
        say("It was expected to fail.\n")
        self._tell("fail", test)

    def _fail(self, test, err):
        say("".join(traceback.format_exception(*err)))
        if not self._is_told:
            self._tell("fail", test)

    def _tell(self, kind, test, reason=""):
        self._is_told = True
        self.counts[kind] += 1
        say("(%s) %s%s [%.2fms]\n" % (kind, name_of(test), reason, (time.monotonic() - self._started) * 1000))


def main(files):
    folder = os.path.abspath("python")
    sys.path.insert(0, folder)
    sys.path.append(os.path.abspath("node_modules/.cache/pintle-pydantic"))  # scripts/testing/python-packages.mjs
    result = Result()
    for file in files:
        path = os.path.abspath(file)
        inside = path.startswith(folder + os.sep)
        if not inside:
            sys.path.insert(0, os.path.dirname(path))
        name = os.path.relpath(path, folder)[:-3].replace(os.sep, ".") if inside else os.path.basename(path)[:-3]
        try:
            module = importlib.import_module(name)
        except Exception:
            say("\n%s:\n%s" % (file, traceback.format_exc()))
            say("(fail) the file cannot be loaded [0.00ms]\n")
            result.counts["fail"] += 1
            continue
        unittest.defaultTestLoader.loadTestsFromModule(module).run(result)
    say("\n" + "".join(" %d %s\n" % (count, kind) for kind, count in result.counts.items()))
    say("Ran %d tests across %d files.\n" % (sum(result.counts.values()), len(result.files)))
    return 1 if result.counts["fail"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
