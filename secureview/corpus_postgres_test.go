package secureview

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wasilibs/go-pgquery/parser"

	"github.com/qedkit/qed/internal/corpora"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview/dialect/postgres"
)

// TestCorpusPostgres checks that of the gold statements, which are SQLite's, only
// those are refused that PostgreSQL would refuse, and that the printed text of the
// others reads as the resolved tree.
func TestCorpusPostgres(t *testing.T) {
	if testing.Short() {
		t.Skip("reads thousands of statements")
	}
	statements, guards := corpus(t, postgres.Dialect{})
	refused := map[refusal.Code]int{}
	for _, s := range statements {
		s.SQL = singleQuoted(s.SQL)
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
	want := map[refusal.Code]int{
		ErrSyntax:       78, // JOIN without ON before another clause, CAST and other keywords as tables
		ErrUnsupported:  36, // FROM user, which is a function
		ErrMisplaced:    2,  // ON names a table to its right
		ErrUnknownTable: 1,
	}
	if corpora.Public(t) == nil {
		want = map[refusal.Code]int{}
	}
	if diff := cmp.Diff(want, refused); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
}

var doubleQuoted = regexp.MustCompile(`"[^"]*"`)

// singleQuoted puts double-quoted strings, which SQLite accepts, into single quotes.
func singleQuoted(sql string) string {
	return doubleQuoted.ReplaceAllStringFunc(sql, func(s string) string {
		return "'" + strings.ReplaceAll(s[1:len(s)-1], "'", "''") + "'"
	})
}

func BenchmarkRewritePostgres(b *testing.B) { benchmarkRewrite(b, postgres.Dialect{}) }

// BenchmarkRewritePostgresPeer only parses the statements with the grammar, which
// takes most of the time of BenchmarkRewritePostgres.
func BenchmarkRewritePostgresPeer(b *testing.B) {
	var statements []string
	for _, s := range corpora.Find(b).Statements {
		if _, err := parser.ParseToProtobuf(s.SQL); err == nil {
			statements = append(statements, s.SQL)
		}
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if _, err := parser.ParseToProtobuf(statements[i%len(statements)]); err != nil {
			b.Fatal(err)
		}
		i++
	}
}
