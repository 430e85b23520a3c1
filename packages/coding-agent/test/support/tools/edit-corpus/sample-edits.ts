/** A correct edit: the old text occurs in the file exactly once. */
export interface SampleEdit {
  name: string;
  path: string;
  file: string;
  oldText: string;
  newText: string;
}

const TYPESCRIPT = `import { readFile } from "node:fs/promises";
import { join } from "node:path";

export interface Options {
  root: string;
  retries: number;   // how often
  verbose?: boolean; // prints each step
}

/** Loads a file, and says "don't" when it is missing. */
export async function load(name: string, options: Options): Promise<string> {
  const path = join(options.root, name);
  for (let attempt = 0; attempt < options.retries; attempt += 1) {
    try {
      const text = await readFile(path, "utf8");
      if (text.length === 0) {
        throw new Error(\`empty: \${path}\`);
      }

      return text.trim();
    } catch (error) {
      if (attempt + 1 === options.retries) throw error;
      console.warn("retry", { attempt, path });
    }
  }
  throw new Error("unreachable");
}

export function list(items: string[]): string {
  const parts = items.map((item) => \`- \${item}\\n\`);
  if (parts.length > 10) {
    parts.length = 10;
    parts.push("...");
  }
  return parts.join("");
}
`;

const PYTHON = `import os
import sys
from dataclasses import dataclass


@dataclass
class Account:
    name: str
    balance: float = 0.0

    def deposit(self, amount: float) -> None:
        if amount <= 0:
            raise ValueError("amount must be positive")
        self.balance += amount

    def withdraw(self, amount: float) -> None:
        if amount > self.balance:
            raise ValueError(f"not enough: {self.balance}")
        self.balance -= amount


def report(accounts):
    total = 0
    for account in accounts:
        if account.balance > 0:
            total += account.balance
            print("%s: %.2f\\n" % (account.name, account.balance))
        else:
            print('empty', account.name)

    return total


def main() -> int:
    accounts = [Account("a", 1.5), Account("b")]
    report(accounts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
`;

const GO = `package server

import (
\t"fmt"
\t"net/http"
)

type Config struct {
\tAddr    string
\tTimeout int
\tDebug   bool
}

func (c *Config) Validate() error {
\tif c.Addr == "" {
\t\treturn fmt.Errorf("addr is empty")
\t}
\tif c.Timeout < 0 {
\t\treturn fmt.Errorf("timeout: %d", c.Timeout)
\t}
\treturn nil
}

func Handler(c *Config) http.HandlerFunc {
\treturn func(w http.ResponseWriter, r *http.Request) {
\t\tswitch r.Method {
\t\tcase http.MethodGet:
\t\t\tfmt.Fprintf(w, "hello %s\\n", r.URL.Path)
\t\tdefault:
\t\t\thttp.Error(w, "no", http.StatusMethodNotAllowed)
\t\t}
\t}
}
`;

const MARKDOWN = `# Travel notes

It’s a “quiet” town – about 12\u00a0km from the sea.
The inn—called “The Crow”—opens at noon.

## What to bring

- a coat,
- good shoes,
- the map’s copy.

Don’t forget: the last bus leaves at 18\u00a0h – not later…

\`\`\`sh
curl -s "https://example.org/bus" | grep '18'
\`\`\`

Café owners say “come back”.
`;

const YAML = `name: build
on:
  push:
    branches: [main]
jobs:
  test:
    runs-on: ubuntu-latest
    strategy:
      matrix:
        node: [20, 22]
    steps:
      - uses: actions/checkout@v4
      - name: Install
        run: npm ci

      - name: Test
        run: |
          npm run lint
          npm test -- --ci
        env:
          CI: "true"
  deploy:
    needs: test
    steps:
      - run: ./deploy.sh
`;

const HTML = `<!doctype html>
<html lang="en">
  <head>
    <title>Shop &amp; more</title>
    <link rel="stylesheet" href="/main.css">
  </head>
  <body>
    <nav class="top">
      <a href="/">Home</a>
      <a href="/cart">Cart</a>
    </nav>
    <main>
      <h1>Fresh bread</h1>
      <p>Baked <em>daily</em>, never frozen.</p>
      <form action="/buy" method="post">
        <input name="count" type="number" value="1">
        <button>Buy</button>
      </form>
    </main>
  </body>
</html>
`;

const MAKEFILE = `CC := gcc
CFLAGS := -O2 -Wall
OBJS = main.o util.o

all: app

app: $(OBJS)
\t$(CC) $(CFLAGS) -o $@ $^
\tstrip $@

%.o: %.c
\t$(CC) $(CFLAGS) -c $< -o $@

clean:
\trm -f app $(OBJS)
\trm -rf build

.PHONY: all clean
`;

const SHELL = `#!/usr/bin/env bash
set -euo pipefail

usage() {
    echo "usage: $0 [-v] <dir>" >&2
    exit 2
}

while getopts "v" opt; do
    case "$opt" in
        v) verbose=1 ;;
        *) usage ;;
    esac
done
shift $((OPTIND - 1))

for file in "$1"/*.txt; do
    if [ -s "$file" ]; then
        wc -l "$file" | awk '{ print $1 }'
    fi
done
`;

const RUST = `use std::collections::HashMap;

pub struct Cache<'a> {
    entries: HashMap<&'a str, u32>,
    limit: usize,
}

impl<'a> Cache<'a> {
    pub fn new(limit: usize) -> Self {
        Cache { entries: HashMap::new(), limit }
    }

    pub fn get(&mut self, key: &'a str) -> Option<u32> {
        match self.entries.get(key) {
            Some(value) => Some(*value),
            None => {
                println!("miss: {}", key);
                None
            }
        }
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }
}
`;

const CSS = `:root {
  --gap: 8px;
  --ink: #222;
}

.card {
  display: grid;
  gap: var(--gap);
  border: 1px solid #ccc;
}

.card > h2 {
  margin: 0 0 4px;
  font: 600 18px/1.2 "Inter", sans-serif;
}

@media (max-width: 600px) {
  .card {
    gap: 4px;
    border: none;
  }
}
`;

const PROSE = `Chapter One

“You’re late,” said the captain. ‘Very late,’ he added – and sat down.
No one spoke. The clock—an old one—struck nine.

“I couldn’t find the way,” the boy said.
“There is only one way,” the captain said.

Outside, the naïve gulls cried over the façade of the café.
`;

const JSON_FILE = `{
  "name": "sample",
  "version": "1.0.0",
  "scripts": {
    "build": "tsc -p .",
    "test": "node --test \\"test/*.js\\""
  },
  "dependencies": {
    "left-pad": "^1.3.0",
    "semver": "^7.0.0"
  }
}`;

function edit(name: string, path: string, file: string, oldText: string, newText: string): SampleEdit {
  return { name, path, file, oldText, newText };
}

export const SAMPLE_EDITS: readonly SampleEdit[] = [
  edit(
    "ts: a line in a block",
    "load.ts",
    TYPESCRIPT,
    `      const text = await readFile(path, "utf8");
      if (text.length === 0) {
        throw new Error(\`empty: \${path}\`);
      }
`,
    `      const text = await readFile(path, "utf8");
      if (text.trim().length === 0) {
        throw new Error(\`empty: \${path}\`);
      }
`,
  ),
  edit(
    "ts: lines added over an empty line",
    "load.ts",
    TYPESCRIPT,
    `        throw new Error(\`empty: \${path}\`);
      }

      return text.trim();`,
    `        throw new Error(\`empty: \${path}\`);
      }

      console.info("loaded", path);
      return text.trim();`,
  ),
  edit(
    "ts: a block wrapped",
    "load.ts",
    TYPESCRIPT,
    `    parts.length = 10;
    parts.push("...");
  }
  return parts.join("");`,
    `    if (!process.env.ALL) {
      parts.length = 10;
      parts.push("...");
    }
  }
  return parts.join("");`,
  ),
  edit(
    "ts: aligned comments",
    "load.ts",
    TYPESCRIPT,
    `  root: string;
  retries: number;   // how often
  verbose?: boolean; // prints each step
}`,
    `  root: string;
  retries: number;   // how often
  verbose?: boolean; // prints every step
}`,
  ),
  edit(
    "ts: a function replaced",
    "load.ts",
    TYPESCRIPT,
    `export function list(items: string[]): string {
  const parts = items.map((item) => \`- \${item}\\n\`);
  if (parts.length > 10) {
    parts.length = 10;
    parts.push("...");
  }
  return parts.join("");
}`,
    `export function list(items: string[], limit = 10): string {
  const parts = items.map((item) => \`* \${item}\\n\`);
  if (parts.length > limit) {
    parts.length = limit;
    parts.push("...");
  }
  return parts.join("");
}`,
  ),
  edit(
    "ts: lines removed",
    "load.ts",
    TYPESCRIPT,
    `      if (attempt + 1 === options.retries) throw error;
      console.warn("retry", { attempt, path });
    }`,
    `      if (attempt + 1 === options.retries) throw error;
    }`,
  ),
  edit(
    "ts: within a line",
    "load.ts",
    TYPESCRIPT,
    `console.warn("retry", { attempt, path });`,
    `console.warn("again", { attempt, path });`,
  ),
  edit(
    "py: a condition",
    "account.py",
    PYTHON,
    `        if amount > self.balance:
            raise ValueError(f"not enough: {self.balance}")
        self.balance -= amount
`,
    `        if amount > self.balance + 1:
            raise ValueError(f"not enough: {self.balance}")
        self.balance -= amount
`,
  ),
  edit(
    "py: a branch added",
    "account.py",
    PYTHON,
    `        if account.balance > 0:
            total += account.balance
            print("%s: %.2f\\n" % (account.name, account.balance))
        else:
            print('empty', account.name)
`,
    `        if account.balance > 0:
            total += account.balance
            print("%s: %.2f\\n" % (account.name, account.balance))
        elif account.balance < 0:
            print('debt', account.name)
        else:
            print('empty', account.name)
`,
  ),
  edit(
    "py: a loop wrapped",
    "account.py",
    PYTHON,
    `    for account in accounts:
        if account.balance > 0:
            total += account.balance
`,
    `    with lock:
        for account in accounts:
            if account.balance > 0:
                total += account.balance
`,
  ),
  edit(
    "py: a method added",
    "account.py",
    PYTHON,
    `        self.balance += amount

    def withdraw(self, amount: float) -> None:
        if amount > self.balance:`,
    `        self.balance += amount

    def close(self) -> None:
        self.balance = 0.0

    def withdraw(self, amount: float) -> None:
        if amount > self.balance:`,
  ),
  edit(
    "py: two functions",
    "account.py",
    PYTHON,
    `    return total


def main() -> int:
    accounts = [Account("a", 1.5), Account("b")]
    report(accounts)
    return 0`,
    `    return total


def main() -> int:
    accounts = [Account("a", 1.5), Account("c")]
    report(accounts)
    return 1`,
  ),
  edit(
    "go: a field in columns",
    "server.go",
    GO,
    `\tAddr    string
\tTimeout int
\tDebug   bool
}`,
    `\tAddr    string
\tTimeout int64
\tDebug   bool
}`,
  ),
  edit(
    "go: a check added",
    "server.go",
    GO,
    `\tif c.Timeout < 0 {
\t\treturn fmt.Errorf("timeout: %d", c.Timeout)
\t}
\treturn nil`,
    `\tif c.Timeout < 0 {
\t\treturn fmt.Errorf("timeout: %d", c.Timeout)
\t}
\tif c.Debug {
\t\tfmt.Println("debug")
\t}
\treturn nil`,
  ),
  edit(
    "go: a case changed",
    "server.go",
    GO,
    `\t\tcase http.MethodGet:
\t\t\tfmt.Fprintf(w, "hello %s\\n", r.URL.Path)
\t\tdefault:`,
    `\t\tcase http.MethodGet, http.MethodHead:
\t\t\tfmt.Fprintf(w, "hello %s\\n", r.URL.Path)
\t\tdefault:`,
  ),
  edit(
    "md: a sentence",
    "notes.md",
    MARKDOWN,
    `It’s a “quiet” town – about 12\u00a0km from the sea.
The inn—called “The Crow”—opens at noon.`,
    `It’s a “quiet” town – about 14\u00a0km from the sea.
The inn—called “The Crow”—opens at noon.`,
  ),
  edit(
    "md: an item added",
    "notes.md",
    MARKDOWN,
    `- a coat,
- good shoes,
- the map’s copy.

Don’t forget: the last bus leaves at 18\u00a0h – not later…`,
    `- a coat,
- good shoes,
- a friend’s number,
- the map’s copy.

Don’t forget: the last bus leaves at 19\u00a0h – not later…`,
  ),
  edit(
    "yaml: a step",
    "ci.yml",
    YAML,
    `        run: npm ci

      - name: Test
        run: |
          npm run lint
          npm test -- --ci`,
    `        run: npm ci

      - name: Test
        run: |
          npm run lint
          npm run types
          npm test -- --ci`,
  ),
  edit(
    "yaml: a value",
    "ci.yml",
    YAML,
    `      matrix:
        node: [20, 22]
    steps:`,
    `      matrix:
        node: [20, 22, 24]
    steps:`,
  ),
  edit(
    "html: a link added",
    "shop.html",
    HTML,
    `    <nav class="top">
      <a href="/">Home</a>
      <a href="/cart">Cart</a>
    </nav>`,
    `    <nav class="top">
      <a href="/">Home</a>
      <a href="/news">News</a>
      <a href="/cart">Cart</a>
    </nav>`,
  ),
  edit(
    "html: an attribute",
    "shop.html",
    HTML,
    `      <form action="/buy" method="post">
        <input name="count" type="number" value="1">
        <button>Buy</button>`,
    `      <form action="/buy" method="post">
        <input name="count" type="number" value="2">
        <button>Buy</button>`,
  ),
  edit(
    "make: a recipe",
    "Makefile",
    MAKEFILE,
    `app: $(OBJS)
\t$(CC) $(CFLAGS) -o $@ $^
\tstrip $@`,
    `app: $(OBJS)
\t$(CC) $(CFLAGS) -o $@ $^
\t@echo done
\tstrip $@`,
  ),
  edit(
    "make: clean",
    "Makefile",
    MAKEFILE,
    `clean:
\trm -f app $(OBJS)
\trm -rf build`,
    `clean:
\trm -f app $(OBJS) *.d
\trm -rf build`,
  ),
  edit(
    "sh: an option",
    "count.sh",
    SHELL,
    `        v) verbose=1 ;;
        *) usage ;;
    esac`,
    `        v) verbose=1 ;;
        q) quiet=1 ;;
        *) usage ;;
    esac`,
  ),
  edit(
    "sh: a pipe",
    "count.sh",
    SHELL,
    `    if [ -s "$file" ]; then
        wc -l "$file" | awk '{ print $1 }'
    fi`,
    `    if [ -s "$file" ]; then
        wc -c "$file" | awk '{ print $1 }'
    fi`,
  ),
  edit(
    "rs: an arm",
    "cache.rs",
    RUST,
    `            None => {
                println!("miss: {}", key);
                None
            }`,
    `            None => {
                eprintln!("miss: {}", key);
                None
            }`,
  ),
  edit(
    "rs: a method added",
    "cache.rs",
    RUST,
    `    pub fn len(&self) -> usize {
        self.entries.len()
    }
}`,
    `    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_full(&self) -> bool {
        self.entries.len() >= self.limit
    }
}`,
  ),
  edit(
    "css: a rule",
    "card.css",
    CSS,
    `  .card {
    gap: 4px;
    border: none;
  }
}`,
    `  .card {
    gap: 2px;
    border: none;
  }
}`,
  ),
  edit(
    "prose: dialogue",
    "story.txt",
    PROSE,
    `“I couldn’t find the way,” the boy said.
“There is only one way,” the captain said.`,
    `“I couldn’t find the way,” the boy said.
“You shouldn’t lie,” said the mate.
“There is only one way,” the captain said.`,
  ),
  edit(
    "prose: accents",
    "story.txt",
    PROSE,
    `Outside, the naïve gulls cried over the façade of the café.`,
    `Outside, the naïve gulls laughed over the façade of the café.`,
  ),
  edit(
    "json: no newline at the end",
    "package.json",
    JSON_FILE,
    `    "left-pad": "^1.3.0",
    "semver": "^7.0.0"
  }
}`,
    `    "left-pad": "^1.3.0",
    "semver": "^7.5.0"
  }
}`,
  ),
  edit(
    "json: escaped quotes",
    "package.json",
    JSON_FILE,
    `    "build": "tsc -p .",
    "test": "node --test \\"test/*.js\\""
  },`,
    `    "build": "tsc -p .",
    "lint": "biome check",
    "test": "node --test \\"test/*.js\\""
  },`,
  ),
];
