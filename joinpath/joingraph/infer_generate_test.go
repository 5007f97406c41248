package joingraph

import (
	"cmp"
	"database/sql"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/qedkit/qed/internal/corpora"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqldb/sqlitedb"
)

// A generated database has rows that respect the joins of a corpus, and little that
// makes inference easy:
//
//   - Identifiers are numbers from 1 to the number of rows. A third of the tables
//     have the same number of rows, so that unrelated identifiers overlap
//     completely.
//   - A third of the references have orphans, another third NULLs.
//   - Other columns are numbers and texts, some of them in ranges that identifiers
//     have.
type generated struct {
	schema *joinpath.Schema
	db     Database
	guard  *secureview.Guard
}

// generator makes the rows of one database.
type generator struct {
	rng    *rand.Rand
	schema *joinpath.Schema
	rows   map[string]int
	refs   map[[2]string][2]string // a column and the column it refers to
	values map[[2]string][]any
	busy   map[[2]string]bool
}

func generate(tb testing.TB, s *corpora.Schema, joins []corpora.Join) generated {
	tb.Helper()
	hash := fnv.New64()
	hash.Write([]byte(s.DB))
	g := &generator{
		rng: rand.New(rand.NewPCG(hash.Sum64(), 1)), schema: hiddenKeys(s, true), rows: map[string]int{},
		refs: map[[2]string][2]string{}, values: map[[2]string][]any{}, busy: map[[2]string]bool{},
	}
	delete(g.schema.Tables, "sqlite_sequence") // SQLite's own
	g.references(s, joins)
	names := slices.Sorted(maps.Keys(g.schema.Tables))
	for _, name := range names {
		g.rows[name] = 100
		if g.rng.IntN(3) > 0 {
			g.rows[name] = 20 + g.rng.IntN(380)
		}
	}
	path := filepath.Join(tb.TempDir(), "data.db")
	host, err := sql.Open("sqlite", path)
	if err != nil {
		tb.Fatal(err)
	}
	defer host.Close()
	tx, err := host.Begin()
	if err != nil {
		tb.Fatal(err)
	}
	policy := &secureview.Policy{Dialect: "sqlite", Tables: map[string][]string{}}
	for _, name := range names {
		t := g.schema.Tables[name]
		t.Types = map[string]string{}
		policy.Tables[name] = t.Columns
		var columns, marks []string
		for _, c := range t.Columns {
			t.Types[c] = "TEXT"
			if g.number(name, c) {
				t.Types[c] = "INTEGER"
			}
			columns = append(columns, quote(c)+" "+t.Types[c])
			marks = append(marks, "?")
			g.column(name, c)
		}
		g.schema.Tables[name] = t
		if _, err := tx.Exec("CREATE TABLE " + quote(name) + " (" + strings.Join(columns, ", ") + ")"); err != nil {
			tb.Fatal(s.DB, err)
		}
		insert, err := tx.Prepare("INSERT INTO " + quote(name) + " VALUES (" + strings.Join(marks, ", ") + ")")
		if err != nil {
			tb.Fatal(err)
		}
		for i := range g.rows[name] {
			row := make([]any, len(t.Columns))
			for n, c := range t.Columns {
				row[n] = g.values[[2]string{name, c}][i]
			}
			if _, err := insert.Exec(row...); err != nil {
				tb.Fatal(err)
			}
		}
		insert.Close()
	}
	if err := tx.Commit(); err != nil {
		tb.Fatal(err)
	}
	guard, err := secureview.New(policy, sqlite.Dialect{})
	if err != nil {
		tb.Fatal(s.DB, err)
	}
	db, err := sqlitedb.Open(path, nil)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { db.Close() })
	return generated{g.schema, db, guard}
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// references notes which column refers to which. A join of a statement refers to
// the side that is a primary key.
func (g *generator) references(s *corpora.Schema, joins []corpora.Join) {
	spelled := spellings(g.schema)
	add := func(k [4]string) {
		var from, to [2]string
		from[0], from[1] = spelled.column(k[0], k[1])
		to[0], to[1] = spelled.column(k[2], k[3])
		if _, twice := g.refs[from]; twice || from == to || from[1] == "" || to[1] == "" {
			return
		}
		for at, ok := to, true; ok; at, ok = g.refs[at] { // no cycles
			if at == from {
				return
			}
		}
		g.refs[from] = to
	}
	for _, k := range s.ForeignKeys {
		add(k)
	}
	for _, j := range joins {
		if j.DB != s.DB {
			continue
		}
		for _, k := range j.Conditions {
			var left [2]string
			left[0], left[1] = spelled.column(k[0], k[1])
			if g.referred(left) || slices.Contains(s.PrimaryKeys[left[0]], left[1]) {
				k = [4]string{k[2], k[3], k[0], k[1]}
			}
			add(k)
		}
	}
}

// speller finds the spelling of names that are compared without case.
type speller map[string]string

func spellings(s *joinpath.Schema) speller {
	out := speller{}
	for name, t := range s.Tables {
		out[strings.ToLower(name)] = name
		for _, c := range t.Columns {
			out[strings.ToLower(name+"\x00"+c)] = c
		}
	}
	return out
}

func (s speller) column(table, column string) (string, string) {
	return s[strings.ToLower(table)], s[strings.ToLower(table+"\x00"+column)]
}

// root follows references to their end.
func (g *generator) root(table, column string) (string, string) {
	at := [2]string{table, column}
	for {
		next, ok := g.refs[at]
		if !ok {
			return at[0], at[1]
		}
		at = next
	}
}

// number reports whether a column has numbers: identifiers, and some others.
func (g *generator) number(table, column string) bool {
	_, column = g.root(table, column)
	parts := splitName(column)
	if len(parts) == 0 {
		return false
	}
	last := parts[len(parts)-1]
	switch last {
	case "id", "no", "number", "num", "year", "age", "amount", "price", "quantity", "count", "rank", "points", "capacity", "height", "weight":
		return true
	}
	return len(parts) == 1 && strings.HasSuffix(last, "id")
}

// column fills a column.
func (g *generator) column(table, name string) []any {
	at := [2]string{table, name}
	if done, ok := g.values[at]; ok {
		return done
	}
	n := g.rows[table]
	out := make([]any, n)
	g.values[at] = out
	key := slices.Equal(g.schema.Tables[table].PrimaryKey, []string{name})
	parent, refers := g.refs[at]
	switch {
	case refers:
		source := g.column(parent[0], parent[1])
		orphans, nulls := g.rng.IntN(3) == 0, g.rng.IntN(3) == 0
		once := g.rng.Perm(len(source)) // a key that refers to another has each value once
		for i := range out {
			out[i] = source[g.rng.IntN(len(source))]
			if key && n <= len(source) {
				out[i] = source[once[i]]
			}
			switch {
			case orphans && g.rng.IntN(25) == 0:
				out[i] = g.orphan(out[i], i)
			case nulls && !key && g.rng.IntN(8) == 0:
				out[i] = nil
			}
		}
	case g.number(table, name):
		width := cmp.Or(g.rng.IntN(400), 5)
		for i := range out {
			if out[i] = i + 1; !key && !strings.EqualFold(name, "id") && !g.referred(at) {
				out[i] = 1 + g.rng.IntN(width)
			}
		}
	default:
		few := g.rng.IntN(2) == 0 && !key && !g.referred(at)
		for i := range out {
			word := i
			if few {
				word = g.rng.IntN(6)
			}
			out[i] = fmt.Sprintf("%s %d", strings.ToLower(name), word*7919%10007)
		}
	}
	return out
}

func (g *generator) orphan(value any, i int) any {
	if _, ok := value.(int); ok {
		return 100_000 + i
	}
	return fmt.Sprintf("lost %d", i)
}

// referred reports whether another column refers to a column.
func (g *generator) referred(at [2]string) bool {
	for _, to := range g.refs {
		if to == at {
			return true
		}
	}
	return false
}
