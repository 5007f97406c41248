package joingraph

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/refusal"
)

// names finds the tables and columns of a schema as other programs spell them.
type names struct {
	tables  []string // sorted
	loose   map[string][]string
	own     string             // the name of the schema and a dot, or empty
	columns map[string]columns // by table
}

type columns struct {
	names []string
	loose map[string][]string
}

func newNames(s *joinpath.Schema) *names {
	n := &names{tables: slices.Sorted(maps.Keys(s.Tables)), columns: map[string]columns{}}
	n.loose = loosely(n.tables)
	if s.Name != "" {
		n.own = s.Name + "."
	}
	for _, name := range n.tables {
		t := s.Tables[name]
		n.columns[name] = columns{names: t.Columns, loose: loosely(t.Columns)}
		if view := fold(t.SecureView); view != "" && n.loose[view] == nil {
			n.loose[view] = []string{name}
		}
	}
	return n
}

// loosely maps the names without letter case and underscores to the names.
func loosely(names []string) map[string][]string {
	out := make(map[string][]string, len(names))
	for _, name := range names {
		key := fold(name)
		out[key] = append(out[key], name)
	}
	return out
}

func fold(name string) string { return strings.ReplaceAll(strings.ToLower(name), "_", "") }

func (n *names) table(name string) (string, error) {
	for _, name := range []string{name, strings.TrimPrefix(name, n.own)} {
		if _, ok := n.columns[name]; ok {
			return name, nil
		}
		if found := n.loose[fold(name)]; len(found) == 1 {
			return found[0], nil
		}
	}
	return "", unknown("table", name, n.tables)
}

func (n *names) column(table, name string) (string, error) {
	c := n.columns[table]
	if slices.Contains(c.names, name) {
		return name, nil
	}
	if found := c.loose[fold(name)]; len(found) == 1 {
		return found[0], nil
	}
	return "", unknown("column", name, c.names)
}

// relationship returns r with the names of the schema.
func (n *names) relationship(r joinpath.Relationship) (joinpath.Relationship, error) {
	from, to := r.Columns()
	var err error
	if r.FromTable, from, err = n.side(r.FromTable, from); err != nil {
		return r, err
	}
	if r.ToTable, to, err = n.side(r.ToTable, to); err != nil {
		return r, err
	}
	if len(from) != len(to) {
		return r, fmt.Errorf("%d from columns and %d to columns", len(from), len(to))
	}
	r.FromColumn, r.ToColumn, r.FromColumns, r.ToColumns = from[0], to[0], nil, nil
	if len(from) > 1 {
		r.FromColumns, r.ToColumns = from, to
	}
	r.Provenance, r.Evidence = slices.Clone(r.Provenance), slices.Clone(r.Evidence)
	return r, nil
}

func (n *names) side(table string, columns []string) (string, []string, error) {
	table, err := n.table(table)
	for i := 0; err == nil && i < len(columns); i++ {
		columns[i], err = n.column(table, columns[i])
	}
	return table, columns, err
}

// unknownName is the error of a name that the database does not have.
type unknownName struct {
	message    string
	candidates []string
}

func unknown(what, name string, known []string) error {
	return &unknownName{
		message:    fmt.Sprintf("the database has no %s %q", what, name),
		candidates: refusal.Nearest(name, known, 3),
	}
}

func (e *unknownName) Error() string { return e.message }
