// Package policycheck compares a policy with a database: what accounts have to read, and the
// findings about tables and columns that the database does not have.
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

// Objects returns what statements under a policy read, schema by schema, and the views that
// replace tables. The policy may list the columns of a view under its own name or under that
// of its table. The view's own come first.
func Objects(p *secureview.Policy) (objects []sqldb.Object, views map[dialect.TableName]string) {
	views = map[dialect.TableName]string{}
	add := func(schema string, of secureview.Schema) {
		tables := of.AccountColumns()
		columns, done := map[string][]string{}, map[string]bool{} // by names in lower case
		for name, list := range tables {
			columns[ascii.Lower(name)] = list
		}
		read := func(name string, list []string) {
			if !done[ascii.Lower(name)] {
				objects = append(objects, sqldb.Object{Schema: schema, Name: name, Columns: list})
			}
			done[ascii.Lower(name)] = true
		}
		for _, table := range slices.Sorted(maps.Keys(of.Views)) {
			view := of.Views[table]
			views[dialect.TableName{Schema: schema, Name: table}] = view
			list, ok := columns[ascii.Lower(view)]
			if !ok {
				list = columns[ascii.Lower(table)]
			}
			read(view, list)
		}
		for table := range of.Views {
			done[ascii.Lower(table)] = true
		}
		for _, name := range slices.Sorted(maps.Keys(tables)) {
			read(name, tables[name])
		}
	}
	add(p.Schema, secureview.Schema{Tables: p.Tables, Views: p.Views, Filters: p.Filters})
	for _, name := range slices.Sorted(maps.Keys(p.Schemas)) {
		add(name, p.Schemas[name])
	}
	return objects, views
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
