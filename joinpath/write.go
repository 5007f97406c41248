package joinpath

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// Write writes the schema in its JSON form, which [Read] reads.
//
// Equal schemas give equal bytes: tables and relationships are sorted, columns
// keep their order. Relationships may refer to tables that the schema does not
// list; [Import] reads such a file, Read does not. For any other schema that Read
// would refuse the error is a [*refusal.Error] of code [ErrSchema], and nothing
// is written.
func (s *Schema) Write(w io.Writer) error {
	found := s.check(true)
	if err := found.err(); err != nil {
		return err
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(s.canonical()); err != nil {
		return fmt.Errorf("joinpath: write schema: %w", err)
	}
	return nil
}

// canonical returns the schema in the form that is written.
func (s *Schema) canonical() *Schema {
	out := &Schema{
		Version:       Version,
		Name:          s.Name,
		Tables:        make(map[string]Table, len(s.Tables)),
		Relationships: make([]Relationship, len(s.Relationships)),
	}
	for name, t := range s.Tables {
		if t.Columns == nil {
			t.Columns = []string{}
		}
		out.Tables[name] = t
	}
	for i, r := range s.Relationships {
		out.Relationships[i] = r.canonical()
	}
	slices.SortFunc(out.Relationships, compareRelationships)
	return out
}

// canonical fills in FromColumn and ToColumn of a composite relationship, so that
// a reader that does not know composite keys finds both sides. It removes lists
// of one column.
func (r Relationship) canonical() Relationship {
	r = r.clone()
	from, to := r.Columns()
	r.FromColumn, r.ToColumn = from[0], to[0]
	if len(from) == 1 {
		r.FromColumns, r.ToColumns = nil, nil
	} else {
		r.FromColumns, r.ToColumns = from, to
	}
	return r
}

// compareRelationships defines a total order of the relationships of a valid
// schema.
func compareRelationships(a, b Relationship) int {
	return cmp.Or(
		cmp.Compare(a.FromTable, b.FromTable),
		cmp.Compare(a.ToTable, b.ToTable),
		compareSides(a.FromColumns, a.FromColumn, b.FromColumns, b.FromColumn),
		compareSides(a.ToColumns, a.ToColumn, b.ToColumns, b.ToColumn),
	)
}

func compareSides(as []string, a string, bs []string, b string) int {
	if len(as) > 0 || len(bs) > 0 {
		return slices.Compare(side(as, a), side(bs, b))
	}
	return cmp.Compare(a, b)
}
