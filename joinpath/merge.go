package joinpath

import (
	"cmp"
	"maps"
	"slices"
)

// Merge returns base with the entries of overlay, such as a file of corrections,
// applied to it. It does not change its arguments. A nil schema is an empty one.
//
// A relationship of overlay replaces those of base that join the same column
// pairs, in either direction:
//
//   - Its confidence replaces the old one. Confidence 0 disables the join.
//   - Without a type it is [Manual]. Without a cardinality or a role it keeps
//     the old one.
//   - Its provenance and evidence are added to the old ones. The type is used
//     for a relationship without provenance.
//
// A table that only overlay has is added. For a table that both have, columns
// are those of base, and a column that only overlay has is an error. Unique keys
// and NOT NULL columns of both are kept. A primary key, comments, types and sizes of overlay replace
// those of base.
//
// The error is a [*refusal.Error] of code [ErrSchema].
func Merge(base, overlay *Schema) (*Schema, error) {
	base, overlay = cmp.Or(base, &Schema{}), cmp.Or(overlay, &Schema{})
	found := base.check(false)
	if len(found.problems) == 0 {
		found = overlay.check(true)
	}
	if err := found.err(); err != nil {
		return nil, err
	}
	out := &Schema{Version: Version, Tables: make(map[string]Table, len(base.Tables))}
	for name, t := range base.Tables {
		out.Tables[name] = mergeTable(&found, name, t, Table{})
	}
	for _, name := range slices.Sorted(maps.Keys(overlay.Tables)) {
		out.Tables[name] = mergeTable(&found, name, base.Tables[name], overlay.Tables[name])
	}
	out.Relationships = mergeRelationships(base.Relationships, overlay.Relationships)
	if len(found.problems) == 0 {
		found = out.check(false)
	}
	if err := found.err(); err != nil {
		return nil, err
	}
	return out, nil
}

func mergeTable(found *report, name string, base, over Table) Table {
	out := Table{
		Columns:        slices.Clone(base.Columns),
		UniqueColumns:  union(base.UniqueColumns, over.UniqueColumns),
		UniqueKeys:     slices.Clone(base.UniqueKeys),
		PrimaryKey:     slices.Clone(base.PrimaryKey),
		NotNull:        union(base.NotNull, over.NotNull),
		Types:          maps.Clone(base.Types),
		Comment:        base.Comment,
		ColumnComments: maps.Clone(base.ColumnComments),
		Rows:           cmp.Or(over.Rows, base.Rows),
		Bytes:          cmp.Or(over.Bytes, base.Bytes),
		View:           base.View || over.View,
	}
	if len(base.Columns) == 0 {
		out.Columns = slices.Clone(over.Columns)
	}
	columns := make(map[string]bool, len(out.Columns))
	for _, c := range out.Columns {
		columns[c] = true
	}
	for _, c := range over.Columns {
		if !columns[c] {
			found.unknown(tablePath(name), c, out.Columns, "the overlay has a column %q that table %q does not have", c, name)
		}
	}
	for _, key := range over.UniqueKeys {
		if !slices.ContainsFunc(out.UniqueKeys, func(k []string) bool { return slices.Equal(k, key) }) {
			out.UniqueKeys = append(out.UniqueKeys, slices.Clone(key))
		}
	}
	if len(over.PrimaryKey) > 0 {
		out.PrimaryKey = slices.Clone(over.PrimaryKey)
	}
	if over.Comment != "" {
		out.Comment = over.Comment
	}
	out.Types = overlayMap(out.Types, over.Types)
	out.ColumnComments = overlayMap(out.ColumnComments, over.ColumnComments)
	return out
}

func overlayMap(base, over map[string]string) map[string]string {
	if base == nil {
		return maps.Clone(over)
	}
	maps.Copy(base, over)
	return base
}

func mergeRelationships(base, overlay []Relationship) []Relationship {
	replaced := make(map[string][]Relationship, len(overlay))
	for _, r := range overlay {
		replaced[r.key()] = nil
	}
	out := make([]Relationship, 0, len(base)+len(overlay))
	for _, r := range base {
		key := r.key()
		if _, ok := replaced[key]; ok {
			replaced[key] = append(replaced[key], r)
			continue
		}
		out = append(out, r.clone())
	}
	for _, r := range overlay {
		r = r.clone()
		if r.Type == "" {
			r.Type = Manual
		}
		var provenance, evidence []string
		for _, old := range replaced[r.key()] {
			provenance = union(provenance, old.sources())
			evidence = union(evidence, old.Evidence)
			if r.Cardinality == "" {
				r.Cardinality = old.facing(r).Cardinality
			}
			r.Role = cmp.Or(r.Role, old.Role)
		}
		r.Provenance = union(provenance, r.sources())
		r.Evidence = union(evidence, r.Evidence)
		out = append(out, r)
	}
	slices.SortStableFunc(out, compareRelationships)
	return out
}

// sources returns the provenance, or the type if there is none.
func (r Relationship) sources() []string {
	if len(r.Provenance) == 0 && r.Type != "" {
		return []string{r.Type}
	}
	return r.Provenance
}

// facing returns r in the direction of other, a description of the same join.
func (r Relationship) facing(other Relationship) Relationship {
	if r.directedKey() == other.directedKey() {
		return r
	}
	return r.Reversed()
}

// union returns the entries of a, then those of b that are not in a.
func union(a, b []string) []string {
	out := slices.Clone(a)
	known := make(map[string]bool, len(a)+len(b))
	for _, s := range a {
		known[s] = true
	}
	for _, s := range b {
		if !known[s] {
			known[s] = true
			out = append(out, s)
		}
	}
	return out
}
