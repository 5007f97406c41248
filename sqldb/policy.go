package sqldb

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sensitive"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
)

// PolicyOptions are the options of [PolicyFor]. Only Dialect and Schema have to be
// set; Schema may be empty for SQLite.
type PolicyOptions struct {
	Dialect string // see [secureview.Policy.Dialect]
	Schema  string // see [secureview.Policy.Schema]

	// Views maps tables to the secure views that are read instead of them. Views
	// that begin with ViewPrefix are found without it: secure_employee is read
	// instead of employee.
	Views map[string]string

	// ViewPrefix is the prefix of secure views. Empty means
	// [secureview.DefaultViewPrefix].
	ViewPrefix string

	// Exclude lists what may not be read: "table", "table.column", or "*.column"
	// for a column of every table. A table or a column of it is excluded from the
	// secure views of the table too.
	Exclude []string

	// Secrets lists the columns, as in Exclude, that may be read although their
	// names say that they hold a secret, such as password_hash or iban. Other such
	// columns are left out.
	Secrets []string
}

// PolicyFor returns a policy that lets every table and column of an introspected
// schema be read, except what the options exclude and what looks like a secret by its
// name. The id of a row of another table is no secret. A table that has a secure view is read through the view only, with the
// columns of the view.
//
// It returns the columns left out as secrets too, as "table.column". An entry of the
// options that matches nothing is an error, because it may be misspelled: a
// [*refusal.Error] of code [secureview.ErrUnknownTable] or
// [secureview.ErrUnknownColumn].
//
// A policy from a schema grants what is there, without a look at what it means. Write
// it to a file and read it before an agent uses it.
func PolicyFor(schema *joinpath.Schema, opt *PolicyOptions) (*secureview.Policy, []string, error) {
	b := policyBuilder{schema: schema, tables: map[string]string{}, used: map[string]bool{}}
	if opt != nil {
		b.opt = *opt
	}
	p := &secureview.Policy{
		Dialect:    b.opt.Dialect,
		Schema:     b.opt.Schema,
		ViewPrefix: b.opt.ViewPrefix,
		Tables:     map[string][]string{},
		Views:      b.views(),
	}
	replaced := maps.Clone(p.Views) // p.Views loses the views that nothing may be read of
	var secrets []string
	for _, name := range slices.Sorted(maps.Keys(schema.Tables)) {
		if _, ok := replaced[name]; ok {
			continue
		}
		table := cmp.Or(b.tables[name], name)
		var columns []string
		if !b.matches(b.opt.Exclude, name, "") {
			for _, column := range schema.Tables[name].Columns {
				switch {
				case b.matches(b.opt.Exclude, name, column):
				case sensitive.Secret(column) && !b.refers(name, column) && !b.matches(b.opt.Secrets, name, column):
					secrets = append(secrets, table+"."+column)
				default:
					columns = append(columns, column)
				}
			}
		}
		if len(columns) > 0 {
			p.Tables[name] = columns
		} else if p.Views[table] == name {
			delete(p.Views, table)
		}
	}
	b.checkUsed()
	if len(b.problems) > 0 {
		return nil, nil, &refusal.Error{Package: "sqldb", Problems: b.problems}
	}
	if len(p.Tables) == 0 {
		return nil, nil, newError(ErrEmpty, "the policy would list no table: check the account's rights and PolicyOptions.Exclude")
	}
	return p, secrets, nil
}

type policyBuilder struct {
	schema   *joinpath.Schema
	opt      PolicyOptions
	tables   map[string]string // from a secure view to its table
	used     map[string]bool   // entries of Exclude and Secrets that matched
	problems []refusal.Problem
}

// refers reports whether a column has the id of a row of another table, which is no
// secret: it is named so, and a key that the database declares, or the name of a table as
// in tokenRecordId, says which. Other keys, such as an IBAN, can be secrets themselves.
func (b *policyBuilder) refers(name, column string) bool {
	fold := func(s string) string { return strings.ReplaceAll(ascii.Lower(s), "_", "") }
	stem, found := strings.CutSuffix(fold(column), "id")
	if !found {
		return false
	}
	for known := range b.schema.Tables {
		if named := fold(known); named == stem || named == stem+"s" {
			return true
		}
	}
	table := cmp.Or(b.tables[name], name)
	return slices.ContainsFunc(b.schema.Relationships, func(r joinpath.Relationship) bool {
		from, _ := r.Columns()
		return r.FromTable == table && slices.Contains(from, column)
	})
}

// views returns the secure view of each table that has one. The account may see the
// view only.
func (b *policyBuilder) views() map[string]string {
	views := map[string]string{}
	prefix := ascii.Lower(cmp.Or(b.opt.ViewPrefix, secureview.DefaultViewPrefix))
	for name, t := range b.schema.Tables {
		if base, found := strings.CutPrefix(ascii.Lower(name), prefix); t.View && found && base != "" {
			table := b.spelled(base, name[len(prefix):])
			views[table], b.tables[name] = name, table
		}
	}
	for table, view := range b.opt.Views {
		name := b.spelled(view, "")
		if name == "" {
			b.unknown(secureview.ErrUnknownTable, view, slices.Collect(maps.Keys(b.schema.Tables)), "PolicyOptions.Views: there is no view")
			continue
		}
		table = b.spelled(table, table)
		views[table], b.tables[name] = name, table
	}
	return views
}

// spelled returns a table as the schema spells it: by its exact name, or else by the
// only name that differs in letter case. It returns otherwise if there is none.
func (b *policyBuilder) spelled(name, otherwise string) string {
	if _, ok := b.schema.Tables[name]; ok {
		return name
	}
	var found []string
	for known := range b.schema.Tables {
		if ascii.EqualFold(known, name) {
			found = append(found, known)
		}
	}
	if len(found) != 1 {
		return otherwise
	}
	return found[0]
}

// matches reports whether a list of the options names a table or a column of it. A
// secure view is also named by its table.
func (b *policyBuilder) matches(list []string, name, column string) bool {
	named := b.excluded(list, name, column)
	table, isView := b.tables[name]
	return isView && b.excluded(list, table, column) || named
}

// excluded reports whether a list of the options names a column, or a table if
// column is empty.
func (b *policyBuilder) excluded(list []string, table, column string) bool {
	found := false
	for _, entry := range list {
		t, c, hasColumn := cutLast(entry)
		matches := ascii.EqualFold(entry, table) && column == ""
		if hasColumn && column != "" {
			matches = (t == "*" || ascii.EqualFold(t, table)) && ascii.EqualFold(c, column)
		}
		if matches {
			b.used[entry] = true
			found = true
		}
	}
	return found
}

// cutLast cuts an entry at its last dot: names of tables may contain dots.
func cutLast(entry string) (table, column string, found bool) {
	at := strings.LastIndexByte(entry, '.')
	if at < 0 {
		return entry, "", false
	}
	return entry[:at], entry[at+1:], true
}

// checkUsed reports the entries that match nothing. One may name a column of a table
// that is left out, or that its secure view does not have.
func (b *policyBuilder) checkUsed() {
	var names []string
	for name, t := range b.schema.Tables {
		names = append(names, name)
		b.excluded(b.opt.Exclude, name, "")
		for _, column := range t.Columns {
			names = append(names, name+"."+column)
			b.excluded(b.opt.Exclude, name, column)
			b.excluded(b.opt.Secrets, name, column)
		}
	}
	for _, entry := range slices.Concat(b.opt.Exclude, b.opt.Secrets) {
		if b.used[entry] {
			continue
		}
		code := secureview.ErrUnknownTable
		if strings.Contains(entry, ".") {
			code = secureview.ErrUnknownColumn
		}
		b.unknown(code, entry, names, "PolicyOptions.Exclude or Secrets: nothing in the schema is named")
	}
}

func (b *policyBuilder) unknown(code refusal.Code, name string, known []string, message string) {
	slices.Sort(known)
	b.problems = append(b.problems, refusal.Problem{
		Code: code, Name: name, Message: fmt.Sprintf("%s %q", message, name), Candidates: refusal.Nearest(name, known, 3),
	})
}
