package integration_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/corpora"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

// corpusSchema is a schema of the corpus, the same on every engine.
type corpusSchema struct {
	name       string // on the engines
	tables     []corpusTable
	views      bool // tables are read through views
	statements []string
}

// corpusTable is a table with its rows.
type corpusTable struct {
	name    string
	columns []string
	kinds   []kind
	key     []int // the column numbers of its key
	rows    [][]any
}

// corpusSchemas returns the schemas of the gold statements.
func corpusSchemas(t *testing.T) []*corpusSchema {
	t.Helper()
	gold := corpora.Find(t)
	statements := map[string][]string{}
	for _, s := range gold.Statements {
		statements[s.DB] = append(statements[s.DB], s.SQL)
	}
	var out []*corpusSchema
	for i, s := range gold.Schemas {
		c := &corpusSchema{name: fmt.Sprintf("corpus_%d", i+1), views: i%2 == 1, statements: statements[s.DB]}
		for _, table := range sorted(s.Tables) {
			if table != "sqlite_sequence" { // a table of SQLite itself that no statement reads
				c.tables = append(c.tables, corpusTable{name: table, columns: s.Tables[table]})
			}
		}
		c.fill(rand.New(rand.NewPCG(3, uint64(i))), s.ForeignKeys)
		out = append(out, c)
	}
	return out
}

// fill sets the kinds of columns, and the keys and rows of tables. A key consists of the
// columns that foreign keys refer to.
func (c *corpusSchema) fill(rng *rand.Rand, foreignKeys [][4]string) {
	columns := domains(c, foreignKeys)
	for i := range c.tables {
		table := &c.tables[i]
		found := make([]*domain, len(table.columns))
		for j, column := range table.columns {
			found[j] = columns[keyOf(table.name, column)]
			table.kinds = append(table.kinds, found[j].kind())
			isKey := slices.ContainsFunc(foreignKeys, func(k [4]string) bool {
				return keyOf(k[2], k[3]) == keyOf(table.name, column)
			})
			if isKey {
				table.key = append(table.key, j)
			}
		}
		table.rows = tableRows(rng, found, table.key)
	}
}

// read parses a statement in the dialect of SQLite, which is the corpus's.
func (c *corpusSchema) read(text string) (*sqlast.Query, error) {
	var d sqlite.Dialect
	q, err := d.Read(text)
	if err == nil {
		_, err = sqlast.Resolve(q, d.Flavor(), c)
	}
	return q, err
}

// Object implements a catalog in which every table is readable.
func (c *corpusSchema) Object(_, name string) (*sqlast.Object, *sqlast.Error) {
	for _, table := range c.tables {
		if ascii.EqualFold(table.name, name) {
			return &sqlast.Object{Name: table.name, Logical: table.name, Columns: table.columns}, nil
		}
	}
	return nil, &sqlast.Error{Code: sqlast.UnknownTable, Name: name, Message: "no table of the corpus"}
}

func (*corpusSchema) Taken(string) bool          { return false }
func (*corpusSchema) TablesWith(string) []string { return nil }
func (*corpusSchema) MeansString(string) bool    { return true }
func (*corpusSchema) MaxListed() int             { return 1 }
