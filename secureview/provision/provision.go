// Package provision prints the SQL that creates what a policy of package
// secureview needs on its server: the secure views, row-level security, and an
// account that may read what the policy lists and do nothing else.
//
// Describe the views and the account in [secureview.Policy.Setup], and pass the
// policy to [SQL]. An administrator reviews the [Script] and runs it. Package
// [sqldb] checks afterwards that the account may do what the policy needs and no
// more.
//
// The package supports MySQL, MariaDB and PostgreSQL.
//
// [sqldb]: https://pkg.go.dev/github.com/qedkit/qed/sqldb
package provision

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/rowfilter"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
)

// A Script is a list of SQL statements for an administrator, in the order in which
// they must run. No statement ends with a semicolon. Some begin with a comment.
type Script []string

// String returns the script as a text for the client of the server.
func (s Script) String() string {
	var b strings.Builder
	for i, statement := range s {
		if i > 0 && strings.HasPrefix(statement, "--") {
			b.WriteByte('\n')
		}
		b.WriteString(statement)
		b.WriteString(";\n")
	}
	return b.String()
}

// SQL returns the script that creates the secure views of a policy, the functions
// and row-level security that they need, and the account with exactly the rights
// that it needs. The policy needs a Setup and a Dialect: "mysql", whose script is
// for both MySQL and MariaDB, or "postgres". If the policy contradicts itself, SQL
// returns a [refusal.Error] with code [secureview.ErrInvalidPolicy] that names the
// entry.
//
// The administrator who runs the script becomes the owner of the views, and the
// views read with the owner's rights. The script:
//
//   - can be run again, also after the policy has changed. It first revokes all
//     rights of the account and grants those of the policy at the end. While it
//     runs, statements of the account fail; in PostgreSQL a transaction avoids that
//     (psql --single-transaction).
//   - leaves tables and views that the policy no longer names where they are, but
//     the account cannot read them.
//   - cannot remove columns of a view in PostgreSQL, nor change their order or
//     types. It fails for such a view: drop the view and run the script again.
//   - creates the account without a login. To allow one, run ALTER USER
//     'agent'@'%' IDENTIFIED BY '..' ACCOUNT UNLOCK in MySQL and ALTER ROLE agent
//     LOGIN PASSWORD '..' in PostgreSQL.
//
// In PostgreSQL every role also has the rights of PUBLIC. The script revokes from
// PUBLIC what would let the account create objects or read tables that have a
// view. When it enables row-level security on a table, it creates the policy
// qed_others, which keeps the rows visible to all other roles: drop qed_others
// before you write other policies for them.
func SQL(p *secureview.Policy) (Script, error) {
	switch {
	case p == nil:
		return nil, invalid("policy", "is missing")
	case p.Dialect == "":
		return nil, invalid("dialect", "is missing: it selects the kind of server")
	case p.Setup == nil:
		return nil, invalid("setup", "is missing: it describes the account and the views")
	}
	tables, err := p.ReadableTables()
	if err != nil {
		return nil, err
	}
	server := servers[p.Dialect]
	if err := check(p, tables, server); err != nil {
		return nil, err
	}
	s := &scripter{Setup: p.Setup, server: server, schema: p.Schema}
	if s.account, err = server.account(p.Setup.Account); err != nil {
		return nil, err
	}
	for _, t := range tables {
		own := &table{Table: t, TableSetup: p.Setup.Tables[display(p, t)]}
		if t.Filter != "" {
			if own.condition, err = rowfilter.Parse(t.Filter, t.Name); err != nil {
				return nil, err
			}
		}
		s.tables = append(s.tables, own)
	}
	server.script(s)
	s.script[0] = `-- Generated from a policy. Review this script, then run it as the administrator who is to own the
-- views. It can be run again.

` + s.script[0]
	return s.script, nil
}

// display returns the name of a table in Setup.Tables.
func display(p *secureview.Policy, t secureview.Table) string {
	if t.Schema == p.Schema {
		return t.Name
	}
	return t.String()
}

// invalid returns the error for an entry of a policy.
func invalid(entry, format string, args ...any) error {
	return &refusal.Error{Package: "provision", Problems: []refusal.Problem{{
		Code:    secureview.ErrInvalidPolicy,
		Name:    entry,
		Message: "policy: " + entry + " " + fmt.Sprintf(format, args...),
	}}}
}

// A scripter writes the script of a policy that was checked.
type scripter struct {
	*secureview.Setup
	server  *server
	account string // quoted
	schema  string // of the policy
	tables  []*table
	script  Script
}

// A table is a table of the policy and its entry in the setup.
type table struct {
	secureview.Table
	secureview.TableSetup
	condition *rowfilter.Filter // of [secureview.Policy.Filters]; nil: none
}

// readName returns the name of what the account reads: the view or the table.
func (t *table) readName() string { return cmp.Or(t.View, t.Name) }

// isFiltered reports whether the table has filters. Its view applies them before any
// condition of a statement: otherwise a statement could find out what hidden rows contain,
// bit by bit, from whether it fails.
func (t *table) isFiltered() bool { return t.condition != nil || len(t.Filters) > 0 }

// settings returns the settings that the filters of the table read.
func (t *table) settings() []string {
	if t.condition != nil {
		return t.condition.Parameters
	}
	return lists.Map(t.Filters, func(f secureview.Filter) string { return f.Setting })
}

// where returns the condition of the rows of a table; empty: none.
func (s *scripter) where(t *table) string {
	if t.condition != nil {
		w := &conditionWriter{scripter: s}
		t.condition.Write(w)
		return w.text.String()
	}
	conditions := lists.Map(t.Filters, func(f secureview.Filter) string { return s.server.filter(s, f) })
	return strings.Join(conditions, "\n  AND ")
}

// A conditionWriter writes a condition of [secureview.Policy.Filters].
type conditionWriter struct {
	*scripter
	text strings.Builder
}

func (w *conditionWriter) Text(sql string)    { w.text.WriteString(sql) }
func (w *conditionWriter) Column(name string) { w.text.WriteString(w.quote(name)) }

// String writes a literal, which has no backslash.
func (w *conditionWriter) String(value string) { w.text.WriteString(quote(value, "'")) }

func (w *conditionWriter) Match(column, parameter string, list bool) {
	w.text.WriteString(w.server.match(w.scripter, column, parameter, list))
}

// accountColumns returns the columns of a table that a statement and its filter read.
func (t *table) accountColumns() []string {
	all := slices.Clone(t.Columns)
	for _, column := range t.FilterColumns {
		if !slices.ContainsFunc(all, func(c string) bool { return ascii.EqualFold(c, column) }) {
			all = append(all, column)
		}
	}
	return all
}

// add adds statements to the script, with a comment before the first.
func (s *scripter) add(comment string, statements []string) {
	for i, statement := range statements {
		if i == 0 {
			statement = comment + "\n" + statement
		}
		s.script = append(s.script, statement)
	}
}

// views calls create for each table that has a view.
func (s *scripter) views(create func(*table) string) []string {
	var views []string
	for _, t := range s.tables {
		if t.View != "" {
			views = append(views, create(t))
		}
	}
	return views
}

// grants lets the account read the views, and exactly the listed columns of tables
// without a view.
func (s *scripter) grants() []string {
	var grants []string
	for _, t := range s.tables {
		columns := ""
		if t.View == "" { // a view has no other columns
			columns = " (" + strings.Join(s.quoteAll(t.accountColumns()), ", ") + ")"
		}
		name := s.qualified(t.Schema, t.readName())
		grants = append(grants, fmt.Sprintf("GRANT SELECT%s ON TABLE %s TO %s", columns, name, s.account))
	}
	return grants
}

// readsEncrypted reports whether a view reads an encrypted column.
func (s *scripter) readsEncrypted() bool {
	for _, t := range s.tables {
		for _, column := range t.Columns {
			if _, ok := encryption(t.TableSetup, column); ok {
				return true
			}
		}
	}
	return false
}

// quote returns a name as an identifier.
func (s *scripter) quote(name string) string { return quote(name, s.server.mark) }

func (s *scripter) quoteAll(names []string) []string {
	return lists.Map(names, s.quote)
}

// qualified returns the name of an object of a schema.
func (s *scripter) qualified(schema, name string) string {
	return s.quote(schema) + "." + s.quote(name)
}

// quote puts marks around a text and doubles those inside it.
func quote(text, mark string) string {
	return mark + strings.ReplaceAll(text, mark, mark+mark) + mark
}
