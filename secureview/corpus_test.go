package secureview

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xwb1989/sqlparser"

	"github.com/qedkit/qed/internal/corpora"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

// corpus returns the gold statements and a guard for each database. Every second
// table, sorted by name, has a view. The guards of SQLite accept strings in double
// quotes, which many of the statements have.
func corpus(tb testing.TB, d dialect.Dialect) (statements []corpora.Statement, guards map[string]*Guard) {
	tb.Helper()
	return corpusWith(tb, d, d.Name() == "sqlite")
}

func corpusWith(
	tb testing.TB, d dialect.Dialect, doubleQuotedStrings bool,
) (statements []corpora.Statement, guards map[string]*Guard) {
	tb.Helper()
	c := corpora.Find(tb)
	guards = map[string]*Guard{}
	for _, s := range c.Schemas {
		p := &Policy{
			Dialect: d.Name(), Schema: "main", Tables: maps.Clone(s.Tables), Views: map[string]string{},
			DoubleQuotedStrings: doubleQuotedStrings,
		}
		for i, table := range slices.Sorted(maps.Keys(s.Tables)) {
			if i%2 == 0 {
				view := "secure_" + table
				p.Views[table], p.Tables[view] = view, s.Tables[table]
			}
		}
		g, err := New(p, d)
		if err != nil {
			tb.Fatalf("%s: %v", s.DB, err)
		}
		guards[s.DB] = g
	}
	return c.Statements, guards
}

// TestCorpus checks that every gold statement is accepted except those counted here,
// and that the printed text reads as the resolved tree. The statements are SQLite's;
// MySQL accepts most of them.
func TestCorpus(t *testing.T) {
	tests := []struct {
		dialect dialect.Dialect
		refused map[refusal.Code]int
	}{
		{sqlite.Dialect{}, map[refusal.Code]int{
			ErrSyntax:       2, // not valid in any dialect
			ErrUnknownTable: 1, // a table that its database does not have
		}},
		{mysql.Dialect{}, map[refusal.Code]int{
			ErrSyntax:        39, // not in the grammar of MySQL
			ErrUnknownTable:  1,
			ErrAmbiguousName: 2, // a derived table with two columns that have one name
			ErrMisplaced:     2, // ON names a table to its right
		}},
	}
	for _, tt := range tests {
		t.Run(tt.dialect.Name(), func(t *testing.T) {
			statements, guards := corpus(t, tt.dialect)
			refused := map[refusal.Code]int{}
			for _, s := range statements {
				_, err := guards[s.DB].Rewrite(context.Background(), s.SQL)
				if err == nil {
					checkReread(t, guards[s.DB], s.SQL)
					continue
				}
				var e *refusal.Error
				if !errors.As(err, &e) {
					t.Fatalf("%s: %v", s.SQL, err)
				}
				refused[e.Problems[0].Code]++
				t.Log(s.DB, err, s.SQL)
			}
			want := tt.refused
			if corpora.Public(t) == nil {
				want = map[refusal.Code]int{}
			}
			if diff := cmp.Diff(want, refused); diff != "" {
				t.Errorf("refused (-want +got):\n%s", diff)
			}
		})
	}
}

// By default a guard of SQLite refuses strings in double quotes, as an unknown
// column, and accepts all other statements that it accepts with them.
func TestCorpusDoubleQuotedStrings(t *testing.T) {
	statements, guards := corpus(t, sqlite.Dialect{})
	_, strict := corpusWith(t, sqlite.Dialect{}, false)
	refused := 0
	for _, s := range statements {
		if _, err := guards[s.DB].Rewrite(context.Background(), s.SQL); err != nil {
			continue
		}
		_, err := strict[s.DB].Rewrite(context.Background(), s.SQL)
		if err == nil {
			continue
		}
		refused++
		if !errors.Is(err, ErrUnknownColumn) || !strings.Contains(s.SQL, `"`) {
			t.Errorf("%s: %v", s.SQL, err)
		}
	}
	t.Logf("%d of %d statements are refused", refused, len(statements))
	if want := 2848; corpora.Public(t) != nil && refused != want {
		t.Errorf("%d statements are refused, want %d", refused, want)
	}
}

// checkReread checks that the printed text of a statement reads as its tree.
func checkReread(t *testing.T, g *Guard, sql string) {
	t.Helper()
	q, err := g.dialect.Read(sql)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sqlast.Resolve(q, g.dialect.Flavor(), g.catalog); err != nil {
		t.Fatal(err)
	}
	if _, _, err := limit(q, nil, g.rowLimit); err != nil {
		t.Fatal(err)
	}
	physical := true
	printed, err := g.dialect.Append(nil, q, physical)
	if err == nil && bytes.Contains(printed, []byte("LIMIT -1) AS")) { // a barrier is another tree
		physical = false
		printed, err = g.dialect.Append(nil, q, physical)
	}
	if err != nil {
		t.Fatal(err)
	}
	again, err := g.dialect.Read(string(printed))
	if err != nil {
		t.Fatalf("%s\nprinted %s: %v", sql, printed, err)
	}
	sqlast.Walk(q, func(n sqlast.Node) bool {
		if !physical {
			return true
		}
		if c, ok := n.(*sqlast.Column); ok {
			if of, ok := c.Of.(*sqlast.Table); ok && of.Printed != "" {
				c.Table = of.Printed
			}
		}
		if table, ok := n.(*sqlast.Table); ok {
			if table.Printed != "" {
				table.Alias = table.Printed
			}
			switch {
			case table.Object != nil:
				table.Schema, table.Name = table.Object.Schema, table.Object.Name
			case table.CTE != nil:
				table.Name = table.CTE.Name
			}
			if table.Alias == table.Name {
				table.Alias = ""
			}
		}
		return true
	})
	if !sqlast.Equal(q, again) {
		t.Errorf("%s\nprinted %s\nreads as another tree", sql, printed)
	}
}

func benchmarkRewrite(b *testing.B, d dialect.Dialect) {
	statements, guards := corpus(b, d)
	statements = slices.DeleteFunc(statements, func(s corpora.Statement) bool {
		_, err := guards[s.DB].Rewrite(context.Background(), s.SQL)
		return err != nil
	})
	if len(statements) == 0 {
		b.Fatal("no statement is accepted")
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		s := &statements[i%len(statements)]
		i++
		if _, err := guards[s.DB].Rewrite(context.Background(), s.SQL); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRewriteSQLite(b *testing.B) { benchmarkRewrite(b, sqlite.Dialect{}) }

func BenchmarkRewriteMySQL(b *testing.B) { benchmarkRewrite(b, mysql.Dialect{}) }

// BenchmarkRewriteMySQLPeer only parses and prints the statements with the library
// that is the second parser of MySQL, which takes most of the time of
// BenchmarkRewriteMySQL.
func BenchmarkRewriteMySQLPeer(b *testing.B) {
	var statements []string
	for _, s := range corpora.Find(b).Statements {
		if _, err := sqlparser.Parse(s.SQL); err == nil {
			statements = append(statements, s.SQL)
		}
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		s, err := sqlparser.Parse(statements[i%len(statements)])
		if err != nil {
			b.Fatal(err)
		}
		_ = sqlparser.String(s)
		i++
	}
}

// TestCodes checks that the codes of the tree are those of this package.
func TestCodes(t *testing.T) {
	codes := map[refusal.Code]refusal.Code{
		sqlast.TooLarge: ErrTooLarge, sqlast.InvalidText: ErrInvalidText, sqlast.TooDeep: ErrTooDeep,
		sqlast.TooComplex: ErrTooComplex, sqlast.Syntax: ErrSyntax, sqlast.NotSelect: ErrNotSelect,
		sqlast.MultipleQueries: ErrMultipleQueries, sqlast.Unsupported: ErrUnsupported, sqlast.Variable: ErrVariable,
		sqlast.Parameter: ErrParameter, sqlast.Into: ErrInto, sqlast.Locking: ErrLocking, sqlast.Hint: ErrHint,
		sqlast.Function: ErrFunction, sqlast.UnknownSchema: ErrUnknownSchema, sqlast.UnknownTable: ErrUnknownTable,
		sqlast.UnknownView: ErrUnknownView, sqlast.UnknownColumn: ErrUnknownColumn,
		sqlast.AmbiguousColumn: ErrAmbiguousColumn, sqlast.AmbiguousName: ErrAmbiguousName,
		sqlast.ColumnCount: ErrColumnCount, sqlast.Misplaced: ErrMisplaced, sqlast.RowLimit: ErrRowLimit,
		sqlast.ParserMismatch: ErrParserMismatch, sqlast.Unbounded: ErrUnbounded,
	}
	for inside, outside := range codes {
		if inside != outside {
			t.Errorf("the tree has %q, the package %q", inside, outside)
		}
	}
}
