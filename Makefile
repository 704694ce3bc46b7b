# Two commands are enough: `make demo` shows what this does, `make test` proves it.
.DELETE_ON_ERROR:
.PHONY: demo test lint build bench conformance results fuzz vectors clean

BIN := node_modules/.bin
SOURCES := $(shell find src cmd conformance bench scripts -name '*.ts') tsconfig.json tsconfig.build.json vite.config.ts package.json

node_modules/.installed: package.json package-lock.json
	npm ci --no-audit --no-fund --loglevel=error
	@touch $@

dist/.built: node_modules/.installed $(SOURCES)
	rm -rf dist
	$(BIN)/tsc -p tsconfig.build.json
	$(BIN)/vite build --logLevel=error
	mkdir -p dist/man && node dist/cmd/man.js > dist/man/audit.1
	chmod +x dist/cmd/audit.js dist/cmd/bide-audit.js
	@touch $@

build: dist/.built

demo: dist/.built
	@sh scripts/demo.sh

lint: node_modules/.installed
	$(BIN)/tsc
	$(BIN)/biome check --error-on-warnings
	node scripts/check-imports.mjs

test: dist/.built lint
	@node scripts/test.mjs

conformance: dist/.built
	node dist/conformance/main.js

results: dist/.built
	node dist/conformance/main.js --write conformance/RESULTS.md --findings docs

vectors: dist/.built
	node scripts/make-vectors.mjs

fuzz: dist/.built
	AUDIT_FUZZ=1 $(BIN)/vitest run

bench: dist/.built
	node --expose-gc dist/bench/main.js

clean:
	rm -rf dist node_modules demo
