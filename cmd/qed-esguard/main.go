// Qed-esguard checks search bodies for Elasticsearch and OpenSearch with the validator of
// package esquery: it accepts, fixes or refuses each one. It works for programs in any
// language: as a filter over a file, as a coprocess that answers line by line, or as a
// check in CI.
//
//	qed-esguard -mapping mapping.json < bodies.jsonl
//
// The mapping is the answer to GET /index/_mapping, for one index or several, or the
// mapping alone. Further flags:
//
//	-filter filter.json   a query that each search must match too, such as the tenant's
//	-index NAME           an index that may be searched, by its exact name; can be repeated.
//	                      The default is the indices of the mapping. A name that is not in
//	                      the mapping is an alias for all of its indices
//	-sensitive PATTERN    fields that are hidden from the author; can be repeated
//	-fail                 exit with status 1 if a body was refused
//
// It reads one JSON object per line, {"id": .., "body": {..}}, with an "index" if there
// are several, and writes one per line. It answers each line before it reads the next:
//
//	{"id": .., "verdict": "ok", "body": {..}, "problems": []}
//	{"id": .., "verdict": "fixed", "body": {..}, "problems": [{"code": .., "path": .., "message": .., "fix": ".."}]}
//	{"id": .., "verdict": "refused", "problems": [{"code": .., "path": .., "message": .., "candidates": [".."]}]}
//
// Only the body of the output may be sent: it contains the filter, and it hides the
// sensitive fields. The id is any JSON value and is returned unchanged; the default is
// the number of the line. A line that cannot be read is refused with the code
// "bad_line", one that is too long with "too_large"; the message begins with the number of
// the line, and the program continues. Blank lines are skipped. A mapping, a filter and
// bodies to try are in testdata.
//
// The exit status is 0 if all lines were answered, 1 if a read or write failed, or with
// -fail if a body was refused, and 2 if the mapping, the filter or the command line is
// wrong. If the reader of its output leaves, the program ends as other filters do: by
// SIGPIPE, without a message.
package main

import (
	"context"
	"os"

	"github.com/qedkit/qed/internal/command/searchguard"
)

func main() {
	os.Exit(searchguard.Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
