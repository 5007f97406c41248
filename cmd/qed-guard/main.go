// Qed-guard checks SQL statements with the guard of package secureview: it rewrites each
// one according to a policy, or refuses it. It works for programs in any language: as
// a filter over a file, as a co-process that answers line by line, or as a check in CI.
//
//	qed-guard -policy policy.json < statements.jsonl
//
// It reads one JSON object per line, {"id": .., "sql": ".."}, and writes one per line.
// It answers each line before it reads the next:
//
//	{"id": .., "ok": true, "sql": "SELECT .."}
//	{"id": .., "ok": false, "code": "unknown_column", "message": "..", "candidates": [".."]}
//
// The id is any JSON value and is returned unchanged. The answer to a line that cannot
// be read has the code "bad_line", to one that is too long "too_large"; the program
// continues. Blank lines are skipped.
//
// The exit status is 0 if all lines were answered, 1 if a read or write failed, or
// with -fail if a statement was refused, and 2 if the policy or the command line is
// wrong.
package main

import (
	"context"
	"os"
	"os/signal"

	"github.com/qedkit/qed/internal/command/sqlguard"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	status := sqlguard.Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, sqlguard.Dialects())
	stop()
	os.Exit(status)
}
