# test, lint, bench and fuzz for the four modules: the library, its DuckDB engine,
# its examples, and its tests against real engines.

MODULES      := . sqldb/duckdb examples integration
STATICCHECK  := honnef.co/go/tools/cmd/staticcheck@v0.8.2
SHELL        := bash
TESTFLAGS    ?=
BENCHTIME    ?= 1s
BENCHCOUNT   ?= 5
FUZZTIME     ?= 30s

.PHONY: all quick test lint bench fuzz

all: lint test

# Tests of all four modules. A test that needs an engine which is not on this
# machine writes into QED_SKIPPED what is missing and how to bring it; with
# QED_REQUIRE_ENGINES=1 it fails instead.
test:
	@skipped=$$(mktemp); trap 'rm -f "$$skipped"' EXIT; status=0; \
	for m in $(MODULES); do \
		echo "== go test $$m"; \
		(cd $$m && QED_SKIPPED="$$skipped" go test $(TESTFLAGS) ./...) || status=1; \
	done; \
	if [ -s "$$skipped" ]; then \
		echo; echo "Skipped, because an engine is not on this machine:"; sort -u "$$skipped"; \
	fi; \
	exit $$status

# The library's tests without the slow ones, to run before each commit.
quick:
	@go vet ./... && go test -vet=off -short ./...

lint:
	@files=$$(gofmt -l .); if [ -n "$$files" ]; then echo "gofmt would change:"; echo "$$files"; exit 1; fi
	@for m in $(MODULES); do \
		echo "== vet, staticcheck $$m"; \
		(cd $$m && go vet ./... && go run $(STATICCHECK) ./...) || exit 1; \
	done

# The benchmarks of the table in BENCHMARKS.md, written into it. A server that is not on
# this machine is left out, and the table keeps a row that says so; a benchmark that fails
# is a failure. go test -bench . has more.
BENCHSERVERS := ^BenchmarkIntrospect.*1000$$$$ ^BenchmarkGuardedRead.*$$$$/rows=1000
BENCH := ^Benchmark((ShortestPath|Build)(122|10k)(Cached|Peer)?|Connect5|Infer1000|Rewrite(MySQL|SQLite|Postgres)(Peer)?|Validate|(Linear10|FanOut4)(Ask|Memory)?|ToolLoop10|(Checkpoint|Steps20KB)SQLite|(Search|SQL)Turn(SQLite)?)$$$$
bench:
	@out=$$(mktemp); skipped=$$(mktemp); trap 'rm -f "$$out" "$$skipped"' EXIT; set -o pipefail; \
	{ for pkg in . ./toolagent ./joinpath ./joinpath/joingraph ./secureview ./esquery ./store/sqlitestore ./searchagent ./sqlagent; do \
		go test -run '^$$' -bench '$(BENCH)' -benchmem -benchtime $(BENCHTIME) -count $(BENCHCOUNT) $$pkg || exit 1; \
	done; \
	cd integration && for bench in $(foreach b,$(BENCHSERVERS),'$(b)'); do \
		QED_SKIPPED="$$skipped" go test -run '^$$' -bench "$$bench" -benchmem -benchtime $(BENCHTIME) -count $(BENCHCOUNT) . || exit 1; \
	done; \
	} | tee "$$out" || exit 1; \
	go run ./internal/benchtable -file BENCHMARKS.md < "$$out" || exit 1; \
	if [ -s "$$skipped" ]; then \
		echo; echo "Left out, because an engine is not on this machine:"; sort -u "$$skipped"; \
	fi

# Every fuzz target for FUZZTIME.
fuzz:
	@for pkg in $$(go list ./... ./sqldb/duckdb/...); do \
		for target in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
			echo "== $$pkg $$target"; \
			go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; \
		done; \
	done
