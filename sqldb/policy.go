package sqldb

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/internal/sensitive"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
)

// PolicyOptions are the options of [PolicyFor]. Only Dialect has to be set. A table of a
// further schema is named schema.table.
type PolicyOptions struct {
	Dialect string // see [secureview.Policy.Dialect]

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

	// Include lists views that may be read although they read something that is
	// excluded, or that has a secure view, or use what looks like a secret, columns that the
	// database computes of such columns, as table.column, and tables that may be read
	// although another schema has a secure view of them. Others are left out.
	Include []string

	// Secrets lists the columns, as in Exclude, that may be read although their
	// names say that they hold a secret, such as password_hash or iban. Other such
	// columns are left out.
	Secrets []string
}

// An Omission is a table or a column that [PolicyFor] leaves out although no option
// excludes it.
type Omission struct {
	Kind    OmissionKind
	Table   string
	Column  string // empty: the whole table
	Message string // why, as a part of a sentence that begins with the name
}

// An OmissionKind is the reason of an [Omission].
type OmissionKind string

const (
	OmittedSecret OmissionKind = "secret" // a column whose name says that it holds a secret: see PolicyOptions.Secrets
	OmittedName   OmissionKind = "name"   // a name that no policy can have, or that differs from another in letter case only
	OmittedView   OmissionKind = "view"   // a view of what may not be read, a table with its rows, a column computed of it: see PolicyOptions.Include
)

// String returns the name and the message on one line.
func (o Omission) String() string {
	name := o.Table
	if o.Column != "" || o.Message == emptyName && o.Table != "" {
		name += "." + o.Column
	}
	if sqlast.CheckName(name) != nil {
		name = strconv.QuoteToASCII(name)
	}
	return name + " " + o.Message
}

// PolicyFor returns a policy for the schemas of an introspected database, which lets
// every table and column be read, except what the options exclude and what looks like a
// secret by its name. The id of a row of another table is no secret. A table that has a
// secure view is read through the view only, with the columns of the view. Any other view
// over such a table, over something that is excluded, or that may show a secret under
// another name, is left out, also if it reads that through further views. With exclusions,
// so is a view of which it is not known what it reads. Names that a policy cannot have are
// left out.
//
// It returns what it left out without an entry of Exclude too. An entry of the
// options that matches nothing is an error, because it may be misspelled: a
// [*refusal.Error] of code [secureview.ErrUnknownTable] or
// [secureview.ErrUnknownColumn].
//
// A policy from a schema grants what is there, without a look at what it means. Write
// it to a file and read it before an agent uses it.
func PolicyFor(schema *joinpath.Schema, opt *PolicyOptions) (*secureview.Policy, []Omission, error) {
	b := policyBuilder{schema: schema, tables: map[string]string{}, used: map[string]bool{}, elsewhere: map[string]string{}, opt: option.Of(opt)}
	p := &secureview.Policy{
		Dialect:    b.opt.Dialect,
		Schema:     schema.Name,
		ViewPrefix: b.opt.ViewPrefix,
		Tables:     map[string][]string{},
		Views:      map[string]string{},
	}
	b.replaced = b.views()
	names := slices.Sorted(maps.Keys(schema.Tables))
	for _, name := range names {
		if _, ok := b.replaced[name]; ok || schema.Tables[name].Unreadable {
			continue
		}
		table := cmp.Or(b.tables[name], name)
		if columns := b.readable(name, table, names); len(columns) > 0 {
			b.list(p, name, columns)
		}
	}
	b.checkUsed()
	if len(b.problems) > 0 {
		return nil, nil, &refusal.Error{Package: "sqldb", Problems: b.problems}
	}
	if len(p.Tables) == 0 && len(p.Schemas) == 0 {
		return nil, nil, newError(ErrEmpty, "the policy would list no table: check the account's rights and PolicyOptions.Exclude")
	}
	return p, b.omitted, nil
}

// list lists the columns of a table or of a secure view in its schema.
func (b *policyBuilder) list(p *secureview.Policy, name string, columns []string) {
	in := secureview.Schema{Tables: p.Tables, Views: p.Views}
	own := b.schema.Tables[name].Schema
	if own != "" {
		var ok bool
		if in, ok = p.Schemas[own]; !ok {
			in = secureview.Schema{Tables: map[string][]string{}, Views: map[string]string{}}
		}
		if p.Schemas == nil {
			p.Schemas = map[string]secureview.Schema{}
		}
		p.Schemas[own] = in
	}
	in.Tables[bare(name, own)] = columns
	if table, secure := b.tables[name]; secure {
		in.Views[bare(table, own)] = bare(name, own)
	}
}

// bare returns the name of a table without its schema, which may be empty.
func bare(name, schema string) string {
	if schema == "" {
		return name
	}
	return strings.TrimPrefix(name, schema+".")
}

type policyBuilder struct {
	schema   *joinpath.Schema
	opt      PolicyOptions
	tables   map[string]string // from a secure view to its table
	replaced map[string]string // from a table to its secure view

	elsewhere map[string]string // from a table to a secure view of another schema that may replace it

	folded map[string]bool // the names of the tables, for refers

	used     map[string]bool // entries of Exclude, Include and Secrets that matched
	omitted  []Omission
	problems []refusal.Problem
}

func (b *policyBuilder) omit(kind OmissionKind, table, column, message string) {
	b.omitted = append(b.omitted, Omission{Kind: kind, Table: table, Column: column, Message: message})
}

// readable returns the columns of a table or view that may be read. table is the one
// that a secure view replaces, or name itself. names are all tables.
func (b *policyBuilder) readable(name, table string, names []string) []string {
	if b.matches(b.opt.Exclude, name, "") {
		return nil
	}
	for _, odd := range slices.Compact([]string{name, table}) {
		if reason := oddName(odd, names); reason != "" {
			b.omit(OmittedName, odd, "", reason)
			return nil
		}
	}
	if view, ok := b.elsewhere[name]; ok && !b.matches(b.opt.Include, name, "") {
		b.omit(OmittedView, name, "", "is read by the secure view "+view+" of another schema, where no policy can have the view of a table")
		return nil
	}
	if reason := b.opened(name, map[string]bool{}); reason != "" && !b.matches(b.opt.Include, name, "") {
		b.omit(OmittedView, name, "", reason)
		return nil
	}
	var columns []string
	all := b.schema.Tables[name].Columns
	for _, column := range all {
		reason, shown := oddName(column, all), b.shown(name, column, map[joinpath.Use]bool{})
		switch {
		case b.matches(b.opt.Exclude, name, column):
		case reason != "":
			b.omit(OmittedName, table, column, reason)
		case shown != "" && !b.matches(b.opt.Include, name, column):
			b.omit(OmittedView, table, column, shown)
		case b.secret(name, column):
			b.omit(OmittedSecret, table, column, "looks like a secret")
		default:
			columns = append(columns, column)
		}
	}
	return columns
}

const emptyName = "has an empty name"

// maxName is the number of bytes of the longest name that is used. Servers have shorter
// limits.
const maxName = 256

// oddName returns why a name cannot be used in a policy, or an empty text. others are the
// names next to it.
func oddName(name string, others []string) string {
	switch {
	case name == "":
		return emptyName
	case sqlast.CheckName(name) != nil:
		return "has control characters or invalid UTF-8 in its name"
	case name == "*":
		return "has the name of all columns"
	case len(name) > maxName:
		return fmt.Sprintf("has a name of %d bytes", len(name))
	}
	for _, other := range others {
		if other != name && ascii.EqualFold(other, name) {
			return "differs from " + other + " in letter case only"
		}
	}
	return ""
}

// opened returns why a view would open something that may not be read, or an empty text. So
// would a table with the rows of its children. seen are those looked at.
func (b *policyBuilder) opened(view string, seen map[string]bool) string {
	t := b.schema.Tables[view]
	if _, secure := b.tables[view]; secure || !t.View && t.Reads == nil || seen[view] {
		return ""
	}
	seen[view] = true
	if reason := b.shown(view, "", map[joinpath.Use]bool{}); reason != "" {
		return reason
	}
	if t.Reads == nil && len(b.opt.Exclude) > 0 {
		return "is a view, and it is not known whether it reads something that is excluded"
	}
	for _, read := range t.Reads {
		table := b.spelled(read, read)
		if b.excluded(b.opt.Exclude, table, "") {
			return "reads " + table + ", which is excluded"
		}
		if secure, ok := b.replaced[table]; ok {
			return "reads " + table + ", which is read through " + secure + " only"
		}
		if secure, ok := b.elsewhere[table]; ok && !b.excluded(b.opt.Include, table, "") {
			return "reads " + table + ", which has the secure view " + secure
		}
		for _, column := range b.schema.Tables[table].Columns {
			if b.excluded(b.opt.Exclude, table, column) && (t.View || slices.Contains(t.Columns, column)) {
				return "reads " + table + ", of which " + column + " is excluded"
			}
		}
		if reason := b.opened(table, seen); reason != "" {
			return "reads " + table + ", which " + reason
		}
	}
	return ""
}

// shown returns why a computed column of a table or of one that a view reads, or a view if by
// is empty, may show what may not be read, also through further computed columns, or an empty
// text. seen are those looked at.
func (b *policyBuilder) shown(table, by string, seen map[joinpath.Use]bool) string {
	looked := joinpath.Use{Table: table, Column: by}
	if seen[looked] {
		return ""
	}
	seen[looked] = true
	for _, u := range b.schema.Tables[table].Uses {
		if u.By != by {
			continue
		}
		uses := "uses " + u.Table + "." + u.Column + ", which "
		if b.excluded(b.opt.Exclude, u.Table, u.Column) {
			return uses + "is excluded"
		} else if b.secret(u.Table, u.Column) {
			return uses + "looks like a secret"
		} else if reason := b.shown(u.Table, u.Column, seen); reason != "" {
			return uses + reason
		}
	}
	if by == "" {
		return ""
	}
	for _, read := range b.schema.Tables[table].Reads {
		if reason := b.shown(read, by, seen); reason != "" {
			return reason
		}
	}
	return ""
}

// secret reports whether a column looks like a secret that may not be read.
func (b *policyBuilder) secret(table, column string) bool {
	return sensitive.Secret(column) && !b.refers(table, column) && !b.matches(b.opt.Secrets, table, column)
}

// refers reports whether a column has the id of a row of another table, which is no
// secret: it is named so, and a key that the database declares, or the name of a table as
// in tokenRecordId, says which. Other keys, such as an IBAN, can be secrets themselves.
func (b *policyBuilder) refers(name, column string) bool {
	fold := func(s string) string { return strings.ReplaceAll(ascii.Lower(s), "_", "") }
	if b.folded == nil {
		b.folded = map[string]bool{}
		for known, t := range b.schema.Tables {
			b.folded[fold(bare(known, t.Schema))] = true
		}
	}
	stem, found := strings.CutSuffix(fold(column), "id")
	if !found || b.folded[stem] || b.folded[stem+"s"] || b.folded[strings.TrimSuffix(stem, "y")+"ies"] {
		return found
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
		view := bare(name, t.Schema)
		if base, found := strings.CutPrefix(ascii.Lower(view), prefix); t.View && found && base != "" {
			within := name[:len(name)-len(view)]
			table := b.spelled(within+base, within+view[len(prefix):])
			views[table], b.tables[name] = name, table
			if _, own := b.schema.Tables[table]; !own {
				b.secureElsewhere(name, base)
			}
		}
	}
	for table, view := range b.opt.Views {
		name := b.spelled(view, "")
		if name == "" {
			b.unknown(secureview.ErrUnknownTable, view, slices.Collect(maps.Keys(b.schema.Tables)), "PolicyOptions.Views: there is no view")
			continue
		}
		table = b.spelled(table, table)
		own := b.schema.Tables[name].Schema
		if t, known := b.schema.Tables[table]; known && t.Schema != own || !known && bare(table, own) == table && own != "" {
			b.problems = append(b.problems, refusal.Problem{Code: secureview.ErrUnknownTable, Name: view,
				Message: fmt.Sprintf("PolicyOptions.Views: %q is not in the schema of %q", view, table)})
			continue
		}
		views[table], b.tables[name] = name, table
	}
	return views
}

// secureElsewhere records the tables of other schemas that a secure view may replace, by
// its name and by what it reads. No policy can say that, so that nothing of them is
// readable.
func (b *policyBuilder) secureElsewhere(view, base string) {
	v := b.schema.Tables[view]
	for name, t := range b.schema.Tables {
		if t.Schema != v.Schema && ascii.EqualFold(bare(name, t.Schema), base) && (v.Reads == nil || slices.Contains(v.Reads, name)) {
			b.elsewhere[name] = view
		}
	}
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
		b.excluded(b.opt.Include, name, "")
		for _, column := range t.Columns {
			names = append(names, name+"."+column)
			b.excluded(b.opt.Exclude, name, column)
			b.excluded(b.opt.Secrets, name, column)
		}
	}
	for _, entry := range slices.Concat(b.opt.Exclude, b.opt.Include, b.opt.Secrets) {
		if b.used[entry] {
			continue
		}
		code := secureview.ErrUnknownTable
		if strings.Contains(entry, ".") {
			code = secureview.ErrUnknownColumn
		}
		b.unknown(code, entry, names, "PolicyOptions.Exclude, Include or Secrets: nothing in the schema is named")
	}
}

func (b *policyBuilder) unknown(code refusal.Code, name string, known []string, message string) {
	slices.Sort(known)
	b.problems = append(b.problems, refusal.Problem{
		Code: code, Name: name, Message: fmt.Sprintf("%s %q", message, name), Candidates: refusal.Nearest(name, known, 3),
	})
}
