// Qed-prove says which joins and aggregates of SQL statements are right, before they run,
// from what is known about the tables. It works for statements of any origin: as a filter
// over a file, as a coprocess that answers line by line, or as a check in CI over a folder
// of queries.
//
//	qed-prove -schema schema.json -policy policy.json < statements.jsonl
//	qed-prove -schema schema.json -policy policy.json -sarif -fail models/
//
// The schema is that of package joinpath, as qed-joingraph -out writes it; the policy is
// that of package secureview. With -dsn the keys are those that the database declares. The
// cardinalities of the file prove nothing, and data is not counted: they may be wrong.
//
// Each line of the input is a JSON object {"id": .., "sql": ".."}. Each line of the output
// answers one:
//
//	{"id": .., "ok": true, "sql": "..", "joins": [..], "aggregates": [..], "findings": [..]}
//
// Joins and aggregates have the verdict proved, contradicted or not_checked; a finding has a
// code, a severity, a message and mostly a fix. ok is false if the guard refuses the
// statement, which is a finding then, or if a finding has the severity error. Their form is
// that of sqlproof.Report. Instead of lines, files and folders can be named; each file that
// ends in .sql is a statement, and its path is the id.
//
// With -fail the exit status is 1 if a statement is not ok. Otherwise it is 0 if all were
// answered, 1 if a read or write failed, and 2 if a file or the command line is wrong.
package main

import (
	"context"
	"os"

	"github.com/qedkit/qed/internal/command/prove"
	"github.com/qedkit/qed/internal/command/sqlguard"
)

func main() {
	os.Exit(prove.Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, sqlguard.Dialects()))
}
