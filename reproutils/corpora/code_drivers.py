"""Programs that call the solutions of parallel-code problems, one kind per language.

Python and JavaScript have one driver that reads the cases from a file. Java and Go have one source
file per problem, in which the arguments are literals of the declared types, so that the compiler
checks the signature.

Each driver is called with a file of problem ids and a file for its results, and writes one JSON
line per event: ``{"start": id}``, ``{"id", "fault"}``, ``{"id", "case", "value", "changed"}``,
``{"id", "case", "error"}`` and ``{"end": id}``. Results go to a file and not to standard output,
where a solution that prints would disturb them.
"""

from __future__ import annotations

import json
from typing import Any

from reproutils.corpora.code_problems import Problem, ValueType, camel_case, pascal_case

# Literals ---------------------------------------------------------------------------------------

_JAVA_PRIMITIVES = {"int": "int", "long": "long", "float": "double", "bool": "boolean"}
_JAVA_BOXED = {
    "int": "java.lang.Integer",
    "long": "java.lang.Long",
    "float": "java.lang.Double",
    "bool": "java.lang.Boolean",
    "str": "java.lang.String",
}
_GO_SCALARS = {"int": "int", "long": "int64", "float": "float64", "bool": "bool", "str": "string"}


def java_type(kind: ValueType, *, boxed: bool = False) -> str:
    """The Java type, spelt as reflection spells it, primitive where it may be unless ``boxed``."""
    if kind.kind == "list":
        return f"java.util.List<{java_type(kind.element, boxed=True)}>"
    if kind.kind == "dict":
        return f"java.util.Map<java.lang.String, {java_type(kind.element, boxed=True)}>"
    return _JAVA_BOXED[kind.kind] if boxed else _JAVA_PRIMITIVES.get(kind.kind, "java.lang.String")


def go_type(kind: ValueType) -> str:
    """The Go type."""
    if kind.kind == "list":
        return f"[]{go_type(kind.element)}"
    if kind.kind == "dict":
        return f"map[string]{go_type(kind.element)}"
    return _GO_SCALARS[kind.kind]


def java_literal(value: Any, kind: ValueType) -> str:
    """A Java expression for the value. Collections are mutable, so that a solution that changes
    its arguments is caught by comparison and not by the choice of collection."""
    if kind.kind == "list":
        name = f"java.util.ArrayList<{java_type(kind.element, boxed=True)}>"
        items = ", ".join(java_literal(item, kind.element) for item in value)
        witness = java_type(kind.element, boxed=True)
        return (
            f"new {name}(java.util.Arrays.<{witness}>asList({items}))"
            if value
            else (f"new {name}()")
        )
    if kind.kind == "dict":
        boxed = java_type(kind.element, boxed=True)
        entries = "".join(
            f".with({json.dumps(key)}, {java_literal(item, kind.element)})"
            for key, item in value.items()
        )
        return f"new verifier.Entries<{boxed}>(){entries}.map"
    if kind.kind == "long":
        return f"{value}L"
    return json.dumps(value)


def go_literal(value: Any, kind: ValueType) -> str:
    """A typed Go expression for the value."""
    if kind.kind == "list":
        return f"{go_type(kind)}{{{', '.join(go_literal(item, kind.element) for item in value)}}}"
    if kind.kind == "dict":
        entries = ", ".join(
            f"{json.dumps(key)}: {go_literal(item, kind.element)}" for key, item in value.items()
        )
        return f"{go_type(kind)}{{{entries}}}"
    return f"{go_type(kind)}({json.dumps(value)})"


# Drivers ----------------------------------------------------------------------------------------

PYTHON_DRIVER = """
import importlib.util
import inspect
import json
import sys
import traceback

try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
except ImportError:
    pass  # Windows has no such limit; the time limit remains.

def plain(value):
    if type(value) is list:
        return [plain(item) for item in value]
    if type(value) is dict:
        for key in value:
            if type(key) is not str:
                raise TypeError(f"returned a dict with a key of type {type(key).__name__}")
        return {key: plain(item) for key, item in value.items()}
    if type(value) in (int, float, bool, str):
        return value
    raise TypeError(f"returned a {type(value).__name__}")

def describe(error, path):
    line = error.lineno if isinstance(error, SyntaxError) else next(
        (frame.lineno for frame in reversed(traceback.extract_tb(error.__traceback__))
         if frame.filename == path), None)
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    place = f"line {line}: " if line else ""
    return f"{place}{type(error).__name__}: {text}"

def load(problem):
    spec = importlib.util.spec_from_file_location("p_" + problem["id"], problem["path"])
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    function = getattr(module, problem["entry_point"], None)
    if not callable(function):
        raise NameError(f"no function {problem['entry_point']}")
    signature = inspect.signature(function)
    names = list(signature.parameters)
    if names != problem["parameters"]:
        raise TypeError(f"parameters {names}, not {problem['parameters']}")
    hints = [parameter.annotation for parameter in signature.parameters.values()]
    if inspect.Signature.empty in [*hints, signature.return_annotation]:
        raise TypeError("a type hint is missing in the signature")
    return function

specification, chosen, results = sys.argv[1:]
with open(specification, encoding="utf-8") as stream:
    problems = {problem["id"]: problem for problem in json.load(stream)}
with open(chosen, encoding="utf-8") as stream:
    ids = stream.read().split()
output = open(results, "w", encoding="utf-8")

def emit(record):
    output.write(json.dumps(record) + "\\n")
    output.flush()

for name in ids:
    problem = problems[name]
    emit({"start": name})
    try:
        function = load(problem)
    except BaseException as error:
        emit({"id": name, "fault": describe(error, problem["path"])})
    else:
        for number, case in enumerate(problem["arguments"], start=1):
            arguments = json.loads(case)
            try:
                value = plain(function(*arguments))
                changed = json.dumps(arguments) != json.dumps(json.loads(case))
                emit({"id": name, "case": number, "value": value, "changed": changed})
            except BaseException as error:
                emit({"id": name, "case": number, "error": describe(error, problem["path"])})
    emit({"end": name})
"""

NODE_DRIVER = """
const fs = require("fs");
const vm = require("vm");

const [specification, chosen, results] = process.argv.slice(2);
const problems = new Map(
  JSON.parse(fs.readFileSync(specification, "utf8")).map((problem) => [problem.id, problem])
);
const ids = fs.readFileSync(chosen, "utf8").split("\\n").filter(Boolean);
const output = fs.openSync(results, "w");
const emit = (text) => fs.writeSync(output, text + "\\n");

function encode(value) {
  if (typeof value === "number") {
    return Number.isFinite(value) ? JSON.stringify(value) : String(value);
  }
  if (typeof value === "string" || typeof value === "boolean") {
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) {
    return "[" + Array.from(value, encode).join(",") + "]";
  }
  if (value !== null && typeof value === "object") {
    const prototype = Object.getPrototypeOf(value);
    if (prototype === null || prototype === Object.prototype) {
      const entry = ([key, item]) => JSON.stringify(key) + ":" + encode(item);
      return "{" + Object.entries(value).map(entry).join(",") + "}";
    }
    throw new TypeError("returned a " + value.constructor.name);
  }
  throw new TypeError("returned " + String(value));
}

function describe(error, path) {
  const stack = String((error && error.stack) || error);
  const at = stack.indexOf(path + ":");
  const line = at < 0 ? "" : "line " + parseInt(stack.slice(at + path.length + 1), 10) + ": ";
  return line + String(error);
}

function load(problem) {
  const text = fs.readFileSync(problem.path, "utf8");
  new vm.Script(text, { filename: problem.path });
  const name = problem.camel;
  const wrapped = '(function () { "use strict"; ' + text +
    "\\nreturn typeof " + name + ' === "function" ? ' + name + " : undefined;\\n})";
  const found = vm.runInThisContext(wrapped, { filename: problem.path })();
  if (found === undefined) {
    throw new Error("no function " + name);
  }
  if (found.length !== problem.parameters.length) {
    throw new Error(found.length + " parameters, not " + problem.parameters.length);
  }
  return found;
}

for (const id of ids) {
  const problem = problems.get(id);
  const key = '{"id":' + JSON.stringify(id) + ",";
  emit('{"start":' + JSON.stringify(id) + "}");
  let run = null;
  try {
    run = load(problem);
  } catch (error) {
    emit(key + '"fault":' + JSON.stringify(describe(error, problem.path)) + "}");
  }
  if (run !== null) {
    problem.arguments.forEach((text, index) => {
      const head = key + '"case":' + (index + 1) + ",";
      const given = JSON.parse(text);
      try {
        const value = encode(run(...given));
        const changed = JSON.stringify(given) !== JSON.stringify(JSON.parse(text));
        emit(head + '"value":' + value + ',"changed":' + changed + "}");
      } catch (error) {
        emit(head + '"error":' + JSON.stringify(describe(error, problem.path)) + "}");
      }
    });
  }
  emit('{"end":' + JSON.stringify(id) + "}");
}
"""

JAVA_SUPPORT = {
    "Entries": """
package verifier;

public final class Entries<T> {
    public final java.util.Map<String, T> map = new java.util.LinkedHashMap<>();

    public Entries<T> with(String key, T value) {
        map.put(key, value);
        return this;
    }
}
""",
    "Cases": """
package verifier;

public interface Cases {
    Class<?> solution();

    String name();

    String signature();

    int count();

    String run(int number) throws Throwable;
}
""",
    "Codec": """
package verifier;

import java.util.Collection;
import java.util.Map;
import java.util.StringJoiner;

public final class Codec {
    public static String encode(Object value) {
        if (value == null) {
            throw new IllegalStateException("returned null");
        }
        if (value instanceof Map<?, ?> map) {
            StringJoiner entries = new StringJoiner(",", "{", "}");
            map.forEach((key, item) -> entries.add(encode(key) + ":" + encode(item)));
            return entries.toString();
        }
        if (value instanceof Collection<?> items) {
            StringJoiner parts = new StringJoiner(",", "[", "]");
            items.forEach(item -> parts.add(encode(item)));
            return parts.toString();
        }
        return value instanceof String text ? quote(text) : value.toString();
    }

    public static String all(Object... values) {
        return encode(java.util.Arrays.asList(values));
    }

    static String quote(String text) {
        StringBuilder quoted = new StringBuilder("\\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\\\') {
                quoted.append('\\\\').append(c);
            } else if (c < 32 || c > 126) {
                quoted.append(String.format("\\\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
""",
    "Main": """
package verifier;

import java.io.OutputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

public final class Main {
    private static OutputStream output;

    private static void emit(String line) throws Exception {
        output.write((line + "\\n").getBytes(StandardCharsets.US_ASCII));
        output.flush();
    }

    private static String describe(Throwable error, Class<?> solution) {
        String line = Arrays.stream(error.getStackTrace())
            .filter(frame -> frame.getClassName().startsWith(solution.getPackageName() + "."))
            .filter(frame -> "Solution.java".equals(frame.getFileName()))
            .findFirst()
            .map(frame -> "line " + frame.getLineNumber() + ": ")
            .orElse("");
        return line + error;
    }

    private static String mismatch(Cases cases) {
        List<String> found = new ArrayList<>();
        for (Method method : cases.solution().getDeclaredMethods()) {
            if (method.getName().equals(cases.name())) {
                found.add(Modifier.toString(method.getModifiers())
                    + " " + method.getGenericReturnType().getTypeName()
                    + " " + method.getName()
                    + Arrays.stream(method.getGenericParameterTypes())
                        .map(type -> type.getTypeName())
                        .collect(Collectors.joining(", ", "(", ")")));
            }
        }
        return found.contains(cases.signature())
            ? null
            : "declares " + found + ", not " + cases.signature();
    }

    public static void main(String[] arguments) throws Exception {
        List<String> ids = Files.readAllLines(Path.of(arguments[0]));
        output = Files.newOutputStream(Path.of(arguments[1]));
        for (String id : ids) {
            String key = "{\\"id\\":\\"" + id + "\\",";
            emit("{\\"start\\":\\"" + id + "\\"}");
            Cases cases = (Cases) Class.forName("p_" + id + ".VerifierDriver")
                .getDeclaredConstructor()
                .newInstance();
            String fault = mismatch(cases);
            if (fault != null) {
                emit(key + "\\"fault\\":" + Codec.quote(fault) + "}");
            }
            for (int number = 1; fault == null && number <= cases.count(); number++) {
                String head = key + "\\"case\\":" + number + ",";
                try {
                    emit(head + cases.run(number) + "}");
                } catch (Throwable error) {
                    String text = describe(error, cases.solution());
                    emit(head + "\\"error\\":" + Codec.quote(text) + "}");
                }
            }
            emit("{\\"end\\":\\"" + id + "\\"}");
        }
        System.exit(0);
    }
}
""",
}

GO_MAIN = """
package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"sort"
	"strconv"
	"strings"
	"time"
)

type testCase func() (string, bool)

var problems = map[string][]testCase{}

const memoryLimit = 2 << 30
const stackLimit = 256 << 20

func encode(value reflect.Value) string {
	switch value.Kind() {
	case reflect.Int, reflect.Int64:
		return strconv.FormatInt(value.Int(), 10)
	case reflect.Float64:
		number := value.Float()
		switch {
		case math.IsNaN(number):
			return "NaN"
		case math.IsInf(number, 0):
			return strings.Replace(strconv.FormatFloat(number, 'g', -1, 64), "Inf", "Infinity", 1)
		}
		return strconv.FormatFloat(number, 'g', -1, 64)
	case reflect.Bool:
		return strconv.FormatBool(value.Bool())
	case reflect.String:
		text, _ := json.Marshal(value.String())
		return string(text)
	case reflect.Slice:
		parts := make([]string, value.Len())
		for i := range parts {
			parts[i] = encode(value.Index(i))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case reflect.Map:
		var parts []string
		for _, key := range value.MapKeys() {
			parts = append(parts, encode(key)+":"+encode(value.MapIndex(key)))
		}
		sort.Strings(parts)
		return "{" + strings.Join(parts, ",") + "}"
	}
	panic("cannot encode " + value.Kind().String())
}

func text(values ...interface{}) string {
	parts := make([]string, len(values))
	for i, value := range values {
		parts[i] = encode(reflect.ValueOf(value))
	}
	return strings.Join(parts, ",")
}

func run(call testCase) (line string) {
	defer func() {
		if failure := recover(); failure != nil {
			place := ""
			for _, row := range strings.Split(string(debug.Stack()), "\\n") {
				if at := strings.Index(row, "/solution.go:"); at >= 0 && place == "" {
					place = "line " + strings.Fields(row[at+len("/solution.go:"):])[0] + ": "
				}
			}
			message, _ := json.Marshal(place + fmt.Sprint(failure))
			line = `"error":` + string(message)
		}
	}()
	value, changed := call()
	return fmt.Sprintf(`"value":%s,"changed":%t`, value, changed)
}

func watchMemory() {
	for {
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		if stats.HeapAlloc > memoryLimit {
			fmt.Fprintln(os.Stderr, "out of memory")
			os.Exit(3)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func main() {
	chosen, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	output, err := os.Create(os.Args[2])
	if err != nil {
		panic(err)
	}
	debug.SetMaxStack(stackLimit)
	go watchMemory()
	for _, id := range strings.Fields(string(chosen)) {
		fmt.Fprintf(output, "{\\"start\\":%q}\\n", id)
		for i, call := range problems[id] {
			fmt.Fprintf(output, "{\\"id\\":%q,\\"case\\":%d,%s}\\n", id, i+1, run(call))
		}
		fmt.Fprintf(output, "{\\"end\\":%q}\\n", id)
	}
}
"""


def java_driver(problem: Problem) -> str:
    """The Java class that calls the solution of one problem with literal arguments."""
    kinds, returned = problem.parameter_types, problem.return_type
    name = camel_case(problem.entry_point)
    given = ", ".join(f"a{i}" for i in range(len(kinds)))
    declared = ", ".join(java_type(kind) for kind in kinds)
    methods, branches = [], []
    for number, case in enumerate(problem.cases, start=1):
        lines = [
            f"        {java_type(kind)} a{i} = {java_literal(value, kind)};"
            for i, (kind, value) in enumerate(zip(kinds, case.args, strict=True))
        ]
        body = "\n".join(lines)
        branches.append(f"            case {number}: return case{number}();")
        methods.append(
            f"    static String case{number}() throws Throwable {{\n{body}\n"
            f"        String before = verifier.Codec.all({given});\n"
            f"        {java_type(returned)} value = Solution.{name}({given});\n"
            f"        boolean changed = !before.equals(verifier.Codec.all({given}));\n"
            '        return "\\"value\\":" + verifier.Codec.encode(value)'
            ' + ",\\"changed\\":" + changed;\n'
            "    }"
        )
    signature = f"public static {java_type(returned)} {name}({declared})"
    return "\n".join(
        [
            f"package p_{problem.id};",
            "public final class VerifierDriver implements verifier.Cases {",
            "    public Class<?> solution() { return Solution.class; }",
            f'    public String name() {{ return "{name}"; }}',
            f'    public String signature() {{ return "{signature}"; }}',
            f"    public int count() {{ return {len(problem.cases)}; }}",
            "    public String run(int number) throws Throwable {",
            "        switch (number) {",
            *branches,
            "            default: throw new IllegalArgumentException();",
            "        }",
            "    }",
            *methods,
            "}",
            "",
        ]
    )


def go_driver(problem: Problem) -> str:
    """The Go file that registers the cases of one problem."""
    kinds, returned = problem.parameter_types, problem.return_type
    declared = ", ".join(go_type(kind) for kind in kinds)
    given = ", ".join(f"a{i}" for i in range(len(kinds)))
    calls = []
    for case in problem.cases:
        lines = "\n".join(
            f"\t\t\ta{i} := {go_literal(value, kind)}"
            for i, (kind, value) in enumerate(zip(kinds, case.args, strict=True))
        )
        calls.append(
            f"\t\tfunc() (string, bool) {{\n{lines}\n"
            f"\t\t\tbefore := text({given})\n"
            f"\t\t\tvalue := text(solve({given}))\n"
            f"\t\t\treturn value, before != text({given})\n\t\t}},"
        )
    return "\n".join(
        [
            "package main",
            f'import solution "verifier/p/p_{problem.id}"',
            "func init() {",
            f"\tvar solve func({declared}) {go_type(returned)} = "
            f"solution.{pascal_case(problem.entry_point)}",
            f'\tproblems["{problem.id}"] = []testCase{{',
            *calls,
            "\t}",
            "}",
            "",
        ]
    )
