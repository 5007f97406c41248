package joinpath

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Merge lays one schema over another, such as a file of corrections over what
// was introspected, and returns a new schema; the arguments stay as they are.
//
// A relationship of overlay replaces those of base that join the same column
// pairs, in whatever direction they are described; where it gives no type, it
// is [Manual], where it gives no cardinality, the replaced one holds. With a
// confidence of 0 it switches the join off. Provenance adds up: it lists first
// where the replaced relationship came from, then where the new one does; a
// relationship without provenance stands under its type.
//
// A table that only overlay has is added. Of a table that both have, the columns
// of base hold, so a column that overlay invents is an error; unique keys add
// up, comments and types of overlay replace.
//
// The result is checked like a file: the error is an [*Error] of kind
// [ErrSchema]. A nil schema is an empty one.
func Merge(base, overlay *Schema) (*Schema, error) {
	base, overlay = cmp.Or(base, &Schema{}), cmp.Or(overlay, &Schema{})
	ps := base.check(false)
	if len(ps) == 0 {
		ps = overlay.check(true)
	}
	if err := ps.err(); err != nil {
		return nil, err
	}
	out := &Schema{Version: Version, Tables: make(map[string]Table, len(base.Tables))}
	for name, t := range base.Tables {
		out.Tables[name] = mergeTable(&ps, name, t, Table{})
	}
	for _, name := range slices.Sorted(maps.Keys(overlay.Tables)) {
		out.Tables[name] = mergeTable(&ps, name, base.Tables[name], overlay.Tables[name])
	}
	out.Relationships = mergeRelationships(base.Relationships, overlay.Relationships)
	if len(ps) == 0 {
		ps = out.check(false)
	}
	if err := ps.err(); err != nil {
		return nil, err
	}
	return out, nil
}

func mergeTable(ps *problems, name string, base, over Table) Table {
	out := Table{
		Columns:        slices.Clone(base.Columns),
		UniqueColumns:  union(base.UniqueColumns, over.UniqueColumns),
		UniqueKeys:     slices.Clone(base.UniqueKeys),
		PrimaryKey:     slices.Clone(base.PrimaryKey),
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
	columns := newNameSet(out.Columns)
	for _, c := range over.Columns {
		if len(*ps) < maxProblems && columns.first(c) < 0 {
			ps.add(fmt.Sprintf("tables[%q]", name), "the overlay adds a column %q that the table does not have%s",
				c, didYouMean(c, out.Columns))
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
		var provenance []string
		for _, old := range replaced[r.key()] {
			provenance = union(provenance, old.sources())
			if r.Cardinality == "" {
				r.Cardinality = old.facing(r).Cardinality
			}
		}
		r.Provenance = union(provenance, r.sources())
		out = append(out, r)
	}
	slices.SortStableFunc(out, compareRelationships)
	return out
}

// sources is where a relationship came from, as far as it tells.
func (r Relationship) sources() []string {
	if len(r.Provenance) == 0 && r.Type != "" {
		return []string{r.Type}
	}
	return r.Provenance
}

// facing returns r in the direction of other, which describes the same join.
func (r Relationship) facing(other Relationship) Relationship {
	if r.directedKey() == other.directedKey() {
		return r
	}
	return r.Reversed()
}

// union returns the entries of a, then those of b that a lacks.
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
