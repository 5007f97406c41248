// Package privacy chooses the columns whose values may be used beyond the answer to
// a statement: kept in a dictionary, counted by sampling, or shown to a model as
// examples.
//
// Columns that are not chosen keep their names in prompts, and a statement can still
// read them. A column that a statement must not read does not belong in the policy
// of the guard.
package privacy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/internal/sensitive"
	"github.com/qedkit/qed/joinpath"
)

// Columns chooses columns. Nil and the zero value choose all columns but those that,
// by their names, hold a secret, such as a password, or identify a person, such as an
// e-mail address. A name is a hint only: check [Columns.LeftOut], and list in Hide
// what the names do not show.
//
// Names are compared without the case of ASCII letters. Columns does not change, and
// is safe for concurrent use.
type Columns struct {
	// Show are columns that are chosen although their names look sensitive, as
	// "table.column", or "table.*" for all columns of a table.
	Show []string

	// Hide are columns that are not chosen, in the same form. Hide wins over Show.
	Hide []string
}

// A Reason says why a column is not chosen.
type Reason string

const (
	Secret   Reason = "secret"   // by its name it gives access, such as a password, or proves who somebody is
	Personal Reason = "personal" // by its name it identifies a person
	Hidden   Reason = "hidden"   // it is in [Columns.Hide]
)

// A LeftOut is a column that is not chosen.
type LeftOut struct {
	Table  string `json:"table"`
	Column string `json:"column"`
	Reason Reason `json:"reason"`
}

// String returns table.column (reason).
func (l LeftOut) String() string { return fmt.Sprintf("%s.%s (%s)", l.Table, l.Column, l.Reason) }

// Allows reports whether the column is chosen.
func (c *Columns) Allows(table, column string) bool { return c.reason(table, column) == "" }

// reason returns why a column is not chosen, or "" if it is.
func (c *Columns) reason(table, column string) Reason {
	switch {
	case c != nil && lists(c.Hide, table, column):
		return Hidden
	case c != nil && lists(c.Show, table, column):
		return ""
	case sensitive.Secret(column):
		return Secret
	case sensitive.Personal(column):
		return Personal
	}
	return ""
}

func lists(names []string, table, column string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		rest, ok := cutTable(name, table)
		return ok && (rest == "*" || ascii.EqualFold(rest, column))
	})
}

// cutTable returns what follows the table in table.column. The names of tables and
// columns may have dots.
func cutTable(name, table string) (string, bool) {
	if len(name) <= len(table) || name[len(table)] != '.' || !ascii.EqualFold(name[:len(table)], table) {
		return "", false
	}
	return name[len(table)+1:], true
}

// LeftOut returns the columns of schema that are not chosen, sorted by table, in the
// order of each table's columns. A name in Show or Hide that schema does not have is
// an error: a name that is spelled wrongly would hide nothing.
func (c *Columns) LeftOut(schema *joinpath.Schema) ([]LeftOut, error) {
	if err := c.check(schema); err != nil {
		return nil, err
	}
	var out []LeftOut
	for _, table := range slices.Sorted(maps.Keys(schema.Tables)) {
		for _, column := range schema.Tables[table].Columns {
			if reason := c.reason(table, column); reason != "" {
				out = append(out, LeftOut{Table: table, Column: column, Reason: reason})
			}
		}
	}
	return out, nil
}

func (c *Columns) check(schema *joinpath.Schema) error {
	if c == nil {
		return nil
	}
	for _, field := range []struct {
		name    string
		entries []string
	}{{"Show", c.Show}, {"Hide", c.Hide}} {
		for _, name := range field.entries {
			if !known(schema, name) {
				return option.UnknownName(fmt.Sprintf("privacy: Columns.%s: the schema has no %q: write table.column, or "+
					"table.* for all columns of a table", field.name, strings.ToValidUTF8(name, "")), name, columns(schema))
			}
		}
	}
	return nil
}

// columns returns all columns of a schema as table.column.
func columns(schema *joinpath.Schema) []string {
	var all []string
	for name, table := range schema.Tables {
		for _, column := range table.Columns {
			all = append(all, name+"."+column)
		}
	}
	return all
}

func known(schema *joinpath.Schema, name string) bool {
	for table, t := range schema.Tables {
		rest, ok := cutTable(name, table)
		if ok && (rest == "*" || slices.ContainsFunc(t.Columns, func(c string) bool { return ascii.EqualFold(c, rest) })) {
			return true
		}
	}
	return false
}
