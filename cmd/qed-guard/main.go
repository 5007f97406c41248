// Qed-guard checks SQL statements with the guard of package secureview: it rewrites each
// one according to a policy, or refuses it. It works for programs in any language: as
// a filter over a file, as a coprocess that answers line by line, or as a check in CI.
//
//	qed-guard -policy policy.json < statements.jsonl
//
// The policy names the dialect: mysql, postgres or sqlite. Its form is that of
// secureview.Policy. With -fail the exit status is 1 if a statement was refused.
//
// It reads one JSON object per line, {"id": .., "sql": ".."}, and writes one per line.
// It answers each line before it reads the next:
//
//	{"id": .., "ok": true, "sql": "SELECT .."}
//	{"id": .., "ok": false, "code": "unknown_column", "message": "..", "candidates": [".."]}
//
// If several names are wrong, "problems" has them all, each with its candidates.
//
// If the policy filters rows by a parameter such as :tenant, the line has its value:
//
//	{"id": .., "sql": "..", "session": {"tenant": "7"}}
//
// A statement without the value is refused with the code "missing_setting". The value must
// come from the program and not from the model.
//
// Only the sql of an answer may be executed. The id is any JSON value and is returned
// unchanged. A line that cannot be read is refused with the code "bad_line", one that is
// too long with "too_large"; the message begins with the number of the line. Blank lines
// are skipped. A policy and statements to try are in testdata.
//
// The exit status is 0 if all lines were answered, 1 if a read or write failed, and 2 if
// the policy or the command line is wrong. If the reader of its output leaves, the program
// ends as other filters do: by SIGPIPE, without a message.
package main

import (
	"context"
	"os"

	"github.com/qedkit/qed/internal/command/sqlguard"
)

func main() {
	os.Exit(sqlguard.Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, sqlguard.Dialects()))
}
