// Package policycheck makes the findings about tables and columns that a policy
// lists and a database does not have.
package policycheck

import (
	"slices"

	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/sqldb"
)

// maxCandidates is how many names a finding suggests.
const maxCandidates = 3

// Table returns the finding for a table or view. known are the names of those
// that exist. object is the name with its schema.
func Table(object, name string, known []string) sqldb.Finding {
	return finding(sqldb.MissingTable, object, "", name, known,
		"there is no table or view "+object+", which the policy lists")
}

// Columns returns the findings for the listed columns that an object does not
// have. same reports whether two names are the same to the database.
func Columns(object string, listed, known []string, same func(a, b string) bool) []sqldb.Finding {
	var found []sqldb.Finding
	for _, column := range listed {
		if slices.ContainsFunc(known, func(k string) bool { return same(k, column) }) {
			continue
		}
		found = append(found, finding(sqldb.MissingColumn, object, column, column, known,
			object+" has no column "+column+", which the policy lists"))
	}
	return found
}

func finding(kind sqldb.FindingKind, object, column, name string, known []string, message string) sqldb.Finding {
	known = slices.Sorted(slices.Values(known))
	near := refusal.Nearest(name, known, maxCandidates)
	if len(near) == 0 {
		near = nil
	}
	p := refusal.Problem{Message: message, Candidates: near}
	return sqldb.Finding{Kind: kind, Object: object, Column: column, Message: p.String(), Candidates: near}
}
