// Package policycheck makes the findings about tables and columns that a policy
// lists and a database does not have.
package policycheck

import (
	"cmp"
	"maps"
	"slices"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/sqldb"
)

// maxCandidates is how many names a finding suggests.
const maxCandidates = 3

// Schema returns the findings about a policy, which may be nil, and the schema of a database
// without accounts. A schema without tables is an error of kind [sqldb.ErrEmpty].
func Schema(p *secureview.Policy, d dialect.Dialect, schema *joinpath.Schema) (findings []sqldb.Finding, err error) {
	names := slices.Sorted(maps.Keys(schema.Tables))
	if len(names) == 0 {
		return nil, &sqldb.Error{Kind: sqldb.ErrEmpty, Message: "the database has no tables: check the path"}
	}
	if p == nil {
		return nil, nil
	}
	guard, err := secureview.New(p, d)
	if err != nil {
		return nil, &sqldb.Error{Kind: sqldb.ErrArgument, Message: "the policy is not valid: " + err.Error(), Err: err}
	}
	for _, t := range guard.Tables() {
		name := cmp.Or(t.View, t.Name)
		i := slices.IndexFunc(names, func(known string) bool { return ascii.EqualFold(known, name) })
		if i < 0 {
			findings = append(findings, Table(name, name, names))
			continue
		}
		listed := slices.Concat(t.Columns, t.FilterColumns)
		findings = append(findings, Columns(name, listed, schema.Tables[names[i]].Columns, ascii.EqualFold)...)
	}
	return findings, nil
}

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
