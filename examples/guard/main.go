// Guard is the program cmd/qed-guard, and an example for it. The files in this folder
// are a policy and statements:
//
//	go run ./examples/guard -policy examples/guard/policy.json < examples/guard/statements.jsonl
//
// With the build tag duckdb it knows the dialect of DuckDB too, which needs cgo.
package main

import (
	"context"
	"os"

	"github.com/qedkit/qed/internal/command/sqlguard"
)

// dialects are the dialects that a policy may name.
var dialects = sqlguard.Dialects()

func main() {
	os.Exit(sqlguard.Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, dialects))
}
