package sqlast

import (
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed/refusal"
)

const (
	maxAliases    = 100 // in one message
	maxCandidates = 8
)

// unknownColumn reports a column that table b does not have. If b is nil, no table
// visible from scope s has it.
func (r *resolver) unknownColumn(c *Column, s *scope, b *binding) {
	if r.err != nil || r.misses(UnknownColumn, columnName(c)) {
		return
	}
	visible := r.visible(s)
	if b != nil && b.missing || b == nil && slices.ContainsFunc(visible, func(b *binding) bool { return b.missing }) {
		return // it may be a column of a table that does not exist
	}
	listed := visible
	var msg strings.Builder
	switch {
	case b != nil:
		listed = []*binding{b}
		fmt.Fprintf(&msg, "column '%s' does not exist in table '%s'", c.Name, b.name())
	case len(visible) == 0:
		fmt.Fprintf(&msg, "column '%s' does not exist: no table is in scope", c.Name)
	case len(visible) == 1:
		fmt.Fprintf(&msg, "column '%s' does not exist in table '%s'", c.Name, visible[0].name())
	default:
		fmt.Fprintf(&msg, "column '%s' does not exist in the tables in scope", c.Name)
	}
	if c.DoubleQuoted && r.flavor.DoubleQuotedStrings {
		msg.WriteString("; if it is a string, write it in single quotes")
	}
	in := r.catalog.TablesWith(c.Name)
	r.listWhere(&msg, in, listed)
	r.missed(&Error{Code: UnknownColumn, Name: columnName(c), Pos: c.Pos, Message: msg.String(),
		Candidates: r.candidates(c.Name, visible, listed, in)})
}

// listWhere appends to a message the tables that have a column, and the columns of
// the given tables.
func (r *resolver) listWhere(msg *strings.Builder, in []string, tables []*binding) {
	if len(in) > 0 {
		fmt.Fprintf(msg, "; found in: %s", strings.Join(in[:min(len(in), maxCandidates)], ", "))
	}
	left := r.catalog.MaxListed()
	for _, b := range tables {
		if slices.Contains(r.explained, b.name()) {
			continue // the table is joined to itself, or was listed before
		}
		r.explained = append(r.explained, b.name())
		left = listColumns(msg, b, left)
	}
}

func columnName(c *Column) string {
	if c.Table != "" {
		return c.Table + "." + c.Name
	}
	return c.Name
}

func listColumns(msg *strings.Builder, b *binding, left int) int {
	if left <= 0 || len(b.columns) == 0 {
		return left
	}
	n := min(left, len(b.columns))
	fmt.Fprintf(msg, "; columns of %s: %s", b.name(), strings.Join(b.names()[:n], ", "))
	if n < len(b.columns) {
		msg.WriteString(", ...")
	}
	return left - n
}

// visible returns the tables that an expression in scope s may name, the nearest
// first.
func (r *resolver) visible(s *scope) []*binding {
	var tables []*binding
	for ; s != nil; s = s.outer {
		for i := s.lo; i < s.hi; i++ {
			tables = append(tables, &s.tables[i])
		}
	}
	return tables
}

// candidates returns the columns that may have been meant, best first: the same
// name in a table in scope, then similar names in the tables that were meant and in
// the others in scope, then the same name in other tables.
func (r *resolver) candidates(name string, visible, meant []*binding, in []string) []string {
	var found []string
	add := func(candidate string) {
		if !slices.Contains(found, candidate) && len(found) < maxCandidates {
			found = append(found, candidate)
		}
	}
	for _, b := range visible {
		if i := r.column(b, name); i >= 0 {
			add(b.alias + "." + b.names()[i])
		}
	}
	for _, tables := range [][]*binding{meant, visible} {
		for _, b := range tables {
			for _, column := range refusal.Nearest(name, b.names(), 3) {
				add(b.alias + "." + column)
			}
		}
	}
	for _, table := range in {
		isTable := func(b *binding) bool { return b.object != nil && r.fold(b.object.Logical, table) }
		if !slices.ContainsFunc(visible, isTable) {
			add(table + "." + name)
		}
	}
	return found
}

// unknownQualifier reports a qualifier that no table in scope has.
func (r *resolver) unknownQualifier(at Pos, qualifier string, s *scope) {
	if r.misses(UnknownTable, qualifier) {
		return
	}
	var aliases, meant []string
	for _, b := range r.visible(s) {
		aliases = append(aliases, b.alias)
		if b.object != nil && (r.fold(b.object.Logical, qualifier) || r.fold(b.object.Name, qualifier)) {
			meant = append(meant, b.alias)
		}
	}
	msg := fmt.Sprintf("'%s' is not a table or alias of this query", qualifier)
	if len(aliases) > 0 {
		msg += "; in scope: " + strings.Join(aliases[:min(len(aliases), maxAliases)], ", ")
	}
	for _, a := range refusal.Nearest(qualifier, aliases, 3) {
		if !slices.Contains(meant, a) {
			meant = append(meant, a)
		}
	}
	r.missed(&Error{Code: UnknownTable, Name: qualifier, Pos: at, Message: msg, Candidates: meant})
}

// ambiguous reports an unqualified name that several tables have.
func (r *resolver) ambiguous(c *Column, s *scope, found []int) {
	if r.err != nil {
		return
	}
	var candidates []string
	for _, t := range found[:min(len(found), maxCandidates)] {
		b := &s.tables[t]
		candidates = append(candidates, b.alias+"."+b.names()[r.column(b, c.Name)])
	}
	r.err = &Error{Code: AmbiguousColumn, Name: c.Name, Pos: c.Pos, Candidates: candidates,
		Message: fmt.Sprintf("column '%s' is ambiguous: qualify it as one of %s",
			c.Name, strings.Join(candidates, ", "))}
}
