package sqldb

import (
	"fmt"
	"maps"
	"slices"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/keyset"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
)

// Readable returns what the statements of a guard may read of a schema: the tables
// that its policy lists, under the policy's names and with the columns that it lists,
// and the relationships between them. It does not change schema.
//
// A table with a secure view has the name of the view in SecureView, and the view's
// types. A relationship of either holds for the table. Keys and size are those that the
// schema has for the table. The account that an agent uses may read the view only, so
// that its schema has none: add a graph that was made with the account of the tables'
// owner, with joingraph.Combine.
//
// A table or a column of the policy that the schema does not have is an error: a
// [*refusal.Error] of code [secureview.ErrUnknownTable] or
// [secureview.ErrUnknownColumn] with what may have been meant.
func Readable(schema *joinpath.Schema, guard *secureview.Guard) (*joinpath.Schema, error) {
	r := reading{
		guard:    guard,
		exact:    guard.Dialect().Name() == "postgres",
		schema:   schema,
		tables:   map[string]string{},
		readable: map[string]string{},
		out:      &joinpath.Schema{Version: joinpath.Version, Name: schema.Name, Tables: map[string]joinpath.Table{}},
	}
	if own := (dialect.TableName{Schema: schema.Name}); schema.Name != "" && guard.NameOf(own) != "" {
		return nil, &refusal.Error{Package: "sqldb", Problems: []refusal.Problem{{
			Code: secureview.ErrInvalidPolicy, Name: schema.Name,
			Message: fmt.Sprintf("the schema that was introspected first is %s, which is not that of the policy: "+
				"introspect the schemas of the policy (Policy.SchemaNames)", schema.Name),
		}}}
	}
	for name := range schema.Tables {
		r.tables[ascii.Lower(name)] = name
	}
	listed := guard.Tables()
	for _, t := range listed {
		name := guard.NameOf(t.TableName)
		r.readable[ascii.Lower(name)] = name
	}
	for _, t := range listed {
		name, view := guard.NameOf(t.TableName), r.viewOf(t)
		if _, taken := r.readable[ascii.Lower(view)]; view != "" && !taken {
			r.readable[ascii.Lower(view)] = name
		}
		r.table(t, name, view)
	}
	if len(r.problems) > 0 {
		return nil, &refusal.Error{Package: "sqldb", Problems: r.problems}
	}
	for _, relationship := range schema.Relationships {
		r.relationship(relationship)
	}
	return r.out, nil
}

type reading struct {
	guard    *secureview.Guard
	exact    bool // the letter case of columns matters
	schema   *joinpath.Schema
	tables   map[string]string // the schema's tables and views, by their names in lower case
	readable map[string]string // the policy's tables, by their names and those of their views in lower case
	out      *joinpath.Schema
	problems []refusal.Problem
}

const maxCandidates = 5 // names that a problem suggests

// viewOf returns the name of the secure view of a table, or "" if it has none.
func (r *reading) viewOf(t secureview.Table) string {
	if t.View == "" {
		return ""
	}
	return r.guard.NameOf(dialect.TableName{Schema: t.Schema, Name: t.View})
}

// table adds a table of the policy, with the names of the table and of its view.
func (r *reading) table(t secureview.Table, name, viewName string) {
	about, known := r.find(name)
	view, hasView := r.find(viewName)
	hasTable := known && (hasView || !about.Unreadable)
	switch {
	case !hasTable && !hasView:
		message := fmt.Sprintf("the schema has no table %q, which the policy lists", name)
		switch {
		case known && viewName == "":
			message = fmt.Sprintf("the account may not read the table %q, which the policy lists: grant it SELECT", name)
		case name != t.Name:
			message += ": introspect all schemas of the policy (Policy.SchemaNames)"
		case viewName != "":
			message += fmt.Sprintf(", and no view %q: create the view, or grant the account SELECT on it", viewName)
		}
		r.problems = append(r.problems, refusal.Problem{
			Code: secureview.ErrUnknownTable, Name: name,
			Message:    message,
			Candidates: refusal.Nearest(name, slices.Sorted(maps.Keys(r.schema.Tables)), maxCandidates),
		})
		return
	case !hasTable:
		about = view
	case !hasView:
		view = about
	}
	out := joinpath.Table{
		Columns: t.Columns, Types: map[string]string{}, ColumnComments: map[string]string{},
		Comment: about.Comment, Rows: about.Rows, Bytes: about.Bytes, View: about.View, Reads: about.Reads, SecureView: viewName,
	}
	if name != t.Name {
		out.Schema = t.Schema
	}
	named := map[string]string{} // the policy's columns by those of the table
	for _, column := range t.Columns {
		inTable, inView := r.column(about, column), r.column(view, column)
		switch {
		case inView != "": // the view may compute a column, and have another type
			out.Types[column], out.ColumnComments[column] = view.Types[inView], view.ColumnComments[inView]
		case inTable != "":
			out.Types[column] = about.Types[inTable]
		default:
			known := slices.Clone(about.Columns)
			known = lists.Add(known, view.Columns...)
			r.problems = append(r.problems, refusal.Problem{
				Code: secureview.ErrUnknownColumn, Path: name, Name: column,
				Message:    fmt.Sprintf("the schema has no column %q in this table, which the policy lists", column),
				Candidates: refusal.Nearest(column, known, maxCandidates),
			})
			continue
		}
		if inTable == "" {
			continue
		}
		named[inTable] = column
		if out.ColumnComments[column] == "" {
			out.ColumnComments[column] = about.ColumnComments[inTable]
		}
		if t.View == "" && slices.Contains(about.NotNull, inTable) { // a view may compute a NULL
			out.NotNull = append(out.NotNull, column)
		}
		if slices.Contains(about.Outside, inTable) {
			out.Outside = append(out.Outside, column)
		}
	}
	addKeys(&out, about, named)
	r.out.Tables[name] = out
}

// addKeys adds the keys of a table all of whose columns are named.
func addKeys(out *joinpath.Table, about joinpath.Table, named map[string]string) {
	add := func(key []string) []string {
		var columns []string
		for _, c := range key {
			if name, ok := named[c]; ok {
				columns = append(columns, name)
			}
		}
		if len(key) == 0 || len(columns) < len(key) {
			return nil
		}
		keyset.Add(out, columns)
		return columns
	}
	out.PrimaryKey = add(about.PrimaryKey)
	for _, c := range about.UniqueColumns {
		add([]string{c})
	}
	for _, key := range about.UniqueKeys {
		add(key)
	}
}

// relationship adds a relationship whose columns may be read.
func (r *reading) relationship(rel joinpath.Relationship) {
	from, to := rel.Columns()
	target := rel.ToTable
	if !r.side(&rel.FromTable, from) {
		return
	}
	if r.side(&rel.ToTable, to) {
		rel.FromColumn, rel.ToColumn, rel.FromColumns, rel.ToColumns = from[0], to[0], nil, nil
		if len(from) > 1 {
			rel.FromColumns, rel.ToColumns = from, to
		}
		r.out.Relationships = append(r.out.Relationships, rel)
	} else if rel.Type == joinpath.ForeignKey {
		keyset.Outside(r.out, rel.FromTable, from, target)
	}
}

// side gives a table and columns the policy's names. It reports whether it has them.
func (r *reading) side(table *string, columns []string) bool {
	*table = r.readable[ascii.Lower(*table)]
	t, ok := r.out.Tables[*table]
	for i, name := range columns {
		columns[i] = r.column(t, name)
		ok = ok && columns[i] != ""
	}
	return ok
}

func (r *reading) find(name string) (joinpath.Table, bool) {
	t, ok := r.schema.Tables[name]
	if !ok {
		t, ok = r.schema.Tables[r.tables[ascii.Lower(name)]]
	}
	return t, ok
}

// column returns the name of a column as a table spells it, or "" if it has none.
func (r *reading) column(t joinpath.Table, name string) string {
	i := slices.Index(t.Columns, name)
	if i < 0 && !r.exact {
		i = slices.IndexFunc(t.Columns, func(c string) bool { return ascii.EqualFold(c, name) })
	}
	if i < 0 {
		return ""
	}
	return t.Columns[i]
}
