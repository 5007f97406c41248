// Package gormgraph reads the associations of GORM models for a join graph.
//
//	models, err := gormgraph.Read(nil, &Order{}, &Customer{})
//	graph, problems, err := joingraph.Combine(schema, joingraph.Source{Name: "models", Schema: models})
//
// GORM itself reads the models, so tags and naming rules mean what they mean in the
// application. No database is opened.
package gormgraph

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"gorm.io/gorm/schema"

	"github.com/qedkit/qed/internal/textmatch"
	"github.com/qedkit/qed/joinpath"
)

// The confidences of associations. One column of a polymorphic association refers
// to several tables, so each of its joins is right for some rows only.
const (
	declared    = 0.95
	polymorphic = 0.6
)

// Read returns the associations of the models as a schema without tables. A model
// is a pointer to a struct. namer is the naming strategy of the application's
// gorm.Config; nil means GORM's own.
func Read(namer schema.Namer, models ...any) (*joinpath.Schema, error) {
	if namer == nil {
		namer = schema.NamingStrategy{IdentifierMaxLength: 64}
	}
	out := &joinpath.Schema{Version: joinpath.Version, Tables: map[string]joinpath.Table{}}
	seen := map[string]int{}
	var cache sync.Map
	for _, model := range models {
		s, err := schema.Parse(model, &cache, namer)
		if err != nil {
			return nil, fmt.Errorf("gormgraph: %T: %w", model, err)
		}
		for _, name := range slices.Sorted(maps.Keys(s.Relationships.Relations)) {
			for _, r := range joins(s.Relationships.Relations[name]) {
				if at, ok := seen[r.String()]; ok {
					first := &out.Relationships[at]
					first.Role = cmp.Or(first.Role, r.Role)
					first.Provenance = append(first.Provenance, r.Provenance...)
					continue
				}
				seen[r.String()] = len(out.Relationships)
				out.Relationships = append(out.Relationships, r)
			}
		}
	}
	return out, nil
}

// joins returns the joins of one association, each from the table with the foreign
// key: two for a many-to-many association, one for any other.
func joins(rel *schema.Relationship) []joinpath.Relationship {
	var out []joinpath.Relationship
	at := map[[2]string]int{}
	kind := joinpath.Relationship{
		Type: joinpath.Association, Confidence: declared, Cardinality: joinpath.ManyToOne,
		Provenance: []string{fmt.Sprintf("gorm: %s.%s", rel.Schema.Name, rel.Name)},
	}
	if rel.Type == schema.HasOne {
		kind.Cardinality = joinpath.OneToOne
	}
	for _, ref := range rel.References {
		if ref.PrimaryKey == nil { // the constant that names the table
			kind.Confidence = polymorphic
			kind.Evidence = []string{fmt.Sprintf("only rows with %s = %q", ref.ForeignKey.DBName, ref.PrimaryValue)}
		}
	}
	if rel.Type == schema.BelongsTo && !strings.EqualFold(rel.Name, rel.FieldSchema.Name) {
		kind.Role = strings.ToLower(textmatch.Spaced(rel.Name))
	}
	for _, ref := range rel.References {
		if ref.PrimaryKey == nil {
			continue
		}
		from, to := ref.ForeignKey, ref.PrimaryKey
		tables := [2]string{from.Schema.Table, to.Schema.Table}
		if rel.JoinTable != nil && from.Schema == rel.JoinTable {
			tables[1] = to.Schema.Table + "\x00" + fmt.Sprint(ref.OwnPrimaryKey) // both sides may be one table
		}
		i, ok := at[tables]
		if !ok {
			r := kind
			r.FromTable, r.ToTable = from.Schema.Table, to.Schema.Table
			at[tables] = len(out)
			i = len(out)
			out = append(out, r)
		}
		out[i].FromColumns = append(out[i].FromColumns, from.DBName)
		out[i].ToColumns = append(out[i].ToColumns, to.DBName)
	}
	for i := range out {
		r := &out[i]
		r.FromColumn, r.ToColumn = r.FromColumns[0], r.ToColumns[0]
		if len(r.FromColumns) == 1 {
			r.FromColumns, r.ToColumns = nil, nil
		}
	}
	return out
}
