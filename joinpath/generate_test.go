package joinpath_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/qedkit/qed/joinpath"
)

// generate makes a connected schema from a seed. The first tables are referred to
// more often, as in real schemas. Some pairs of tables have several
// relationships, and some relationships have a confidence below 1.
func generate(seed uint64, tables, relationships int) *joinpath.Schema {
	rng := rand.New(rand.NewPCG(seed, 1))
	s := &joinpath.Schema{Tables: map[string]joinpath.Table{}}
	columns := make([][]string, tables)
	for i := range columns {
		columns[i] = []string{"id"}
	}
	confidences := []float64{1, 1, 1, 1, 1, 1, 0.95, 0.9, 0.8, 0.7}
	for i := range relationships {
		from, to := i+1, 0
		if from < tables {
			to = rng.IntN(from)
		} else {
			from, to = rng.IntN(tables), int(rng.Float64()*rng.Float64()*float64(tables))
		}
		column := fmt.Sprintf("ref%d", len(columns[from]))
		columns[from] = append(columns[from], column)
		s.Relationships = append(s.Relationships, joinpath.Relationship{
			FromTable: tableName(from), FromColumn: column,
			ToTable: tableName(to), ToColumn: "id",
			Type:        joinpath.ForeignKey,
			Confidence:  confidences[rng.IntN(len(confidences))],
			Cardinality: joinpath.ManyToOne,
		})
	}
	for i, c := range columns {
		s.Tables[tableName(i)] = joinpath.Table{Columns: c, UniqueColumns: []string{"id"}}
	}
	return s
}

func tableName(i int) string { return fmt.Sprintf("table%05d", i) }

// generateSmall makes a schema of a few tables, connected or not, with parallel
// edges, loops, many equal costs and all cardinalities.
func generateSmall(rng *rand.Rand, tables, relationships int) *joinpath.Schema {
	s := &joinpath.Schema{Tables: map[string]joinpath.Table{}}
	columns := []string{}
	for i := range relationships {
		columns = append(columns, fmt.Sprintf("c%02d", i))
		s.Relationships = append(s.Relationships, joinpath.Relationship{
			FromTable: tableName(rng.IntN(tables)), FromColumn: columns[i],
			ToTable: tableName(rng.IntN(tables)), ToColumn: columns[i],
			Confidence:  []float64{1, 1, 1, 0.9, 0.8, 0.3}[rng.IntN(6)],
			Cardinality: []joinpath.Cardinality{"", "", joinpath.ManyToOne, joinpath.OneToMany, joinpath.OneToOne, joinpath.ManyToMany}[rng.IntN(6)],
		})
	}
	for i := range tables {
		s.Tables[tableName(i)] = joinpath.Table{Columns: columns}
	}
	return s
}
