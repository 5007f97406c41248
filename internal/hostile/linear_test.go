//go:build unix && !race

// Package hostile tests that what reads foreign text takes time in proportion to
// the length of the text.
package hostile

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/analyst/dataset"
	"github.com/qedkit/qed/chart/page"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/figures"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/query/graphql"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/rag"
	"github.com/qedkit/qed/rag/citation"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/research/references"
	"github.com/qedkit/qed/resolve"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqlagent/schemasearch"
	"github.com/qedkit/qed/sqlagent/verified"
	"github.com/qedkit/qed/toolagent"
)

// units are repeated to long texts. Each is the beginning of something that a reader
// may try to read again from every position.
var units = []string{
	"a", "é", "ß", "1", "0", "9.", "1,", "1.2,", "1/", "1-", "1-1-", "1.1.", "2026-01-", "2026-01-01 ", "31.12.", "1:", "12:30:",
	"1e", "1e1", "-", "--", "+1", "%", "1 %", "€1", "$", "1 000 ", "१", "٣,", "①", "½", "(", ")", "[", "[[", "[1", "{", "{r1.", "}",
	`"`, "'", "`", "“", "\\", "/*", "--\n", "#", "* ", "> ", "<a", "<!--", "&lt;", "![](", "| ", "\n", "\r\n", " ", "\t", "\u00a0",
	"\u200f", "\u0301", "\x00", "\xff", "中", "🙂", "Mon", "in 2025 and ", "last ", "bis März ", "Abs. 1 ", "§ 1 ", "siehe ", "v. ",
	"1'", "1_", "1st ", "1 to ", "1 and ", "2026 and ", "\n1. ", "[1]", "| 1 ", "1 million ", "A-1-", "1 pm ", "January 1 ", "No. 1 ",
	"last 1 weeks ", "“1”", "\"1", "://", "{sum a}", "{\"a\":", "1万", "тыс 1 ", "v1.", "1/1 ", "1--1", "00 ", "1 000 000", "twenty-",
	"SELECT ", "(SELECT ", "a.b.", "a AND ", "NOT ", "WO-1", "\u202e", "A.", "aA", "_", "x,y;",
}

// A reader reads a text of a user, a model, a document or a database.
type reader func(text string)

const (
	longest = 64 << 10

	// noticeable is the time below which the growth is not looked at: the garbage
	// collector decides it.
	noticeable = 100 * time.Millisecond

	// Each text is four times as long as the one before. The time of a linear reader
	// grows by four, that of a quadratic one by sixteen.
	most = 9
)

func TestLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 64 KB of each unit with each reader")
	}
	for name, read := range readers(t) {
		t.Run(name, func(t *testing.T) {
			for _, unit := range units {
				var before time.Duration
				for size := longest / 64; size <= longest; size *= 4 {
					text := strings.Repeat(unit, size/len(unit))
					allowed := max(noticeable, most*max(before, noticeable/16))
					took := fastest(read, text, allowed)
					if took > allowed {
						t.Errorf("%d times %q: %v, and a quarter of it %v", size/len(unit), unit, took, before)
						break
					}
					before = took
				}
			}
		})
	}
}

// fastest returns the shortest time of up to three readings. The first that takes no
// longer than is allowed is the last.
func fastest(read reader, text string, allowed time.Duration) time.Duration {
	least := time.Duration(1<<63 - 1)
	for range 3 {
		began := processorTime()
		read(text)
		least = min(least, processorTime()-began)
		if least <= allowed {
			break
		}
	}
	return least
}

// processorTime returns what this process has used. Other processes do not count.
func processorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return time.Duration(used.Utime.Nano())
}

func readers(t *testing.T) map[string]reader {
	ctx := t.Context()
	schema := &joinpath.Schema{Tables: map[string]joinpath.Table{
		"customer": {Columns: []string{"id", "lastName", "shipping_address"}, Comment: "who buys"},
		"invoice":  {Columns: []string{"id", "customerId", "total", "issuedOn"}},
	}}
	rows := qed.Table{
		Columns: []qed.Column{{Name: "id"}, {Name: "name"}},
		Rows:    [][]any{{1, "Room 010"}, {2, "WO-10229"}},
	}
	all := map[string]reader{
		"figures.Find":       func(s string) { figures.Find(s, figures.PointDecimal) },
		"figures.StyleOf":    func(s string) { figures.StyleOf(s) },
		"figures.LanguageOf": func(s string) { figures.LanguageOf(s) },
		"figures.Set": func(s string) {
			var set figures.Set
			set.Add("", s)
			set.Missing(s, figures.CommaDecimal)
		},
		"figures.Text": func(s string) {
			text := figures.NewText(figures.Source{Tables: []figures.Table{{Rows: rows}}, Data: []any{s}}, nil)
			for piece := range pieces(s) {
				text.Write(piece)
			}
			text.Unknown()
			text.Close(ctx)
		},
		"figures.Table": func(s string) {
			cells := qed.Table{Columns: rows.Columns, Rows: [][]any{{1, s}, {2, s}}}
			text := figures.NewText(figures.Source{Tables: []figures.Table{{Rows: cells}}}, nil)
			text.Write("{r1.name} {sum name}")
			text.Close(ctx)
		},
		"dates.New": func(s string) { must(dates.New(time.Now(), dates.Calendar{}, s)) },
		"citation.Audit": func(s string) {
			citation.Audit(s+" [a1]. "+s+" [a1].", []citation.Source{{Key: "a1", Text: s + "x"}})
		},
		"citation.Text": func(s string) {
			text := citation.NewText([]citation.Source{{Key: "a1", Text: "x"}}, nil)
			for piece := range pieces(s) {
				text.Write(piece)
			}
			text.Close()
		},
		"references.Find": func(s string) { references.Find(s) },
		"references.Locate": func(s string) {
			references.Locate(s, []references.Claim{{Text: s[:min(len(s), 200)]}, {Text: "no such text"}})
		},
		"rag.English":  func(s string) { rag.English(s) },
		"rag.German":   func(s string) { rag.German(s) },
		"rag.Split":    func(s string) { rag.Split(&rag.Document{Text: s}, 1200) },
		"rag.Markdown": func(s string) { readDocument(ctx, "a.md", s) },
		"rag.HTML":     func(s string) { readDocument(ctx, "a.html", s) },
		"rag.Plain":    func(s string) { readDocument(ctx, "a.txt", s) },
		"llm.EstimateTextTokens": func(s string) {
			llm.EstimateTextTokens(s)
		},
		"refusal.Nearest": func(s string) { refusal.Nearest(s, []string{"customer", s + "x"}, 3) },
		"finding.Parse":   func(s string) { finding.Parse(json.RawMessage(s)) },
		"question": func(s string) {
			q := question.Question{Kind: question.KindChoice, Choices: []question.Choice{{ID: "1", Text: s + "x"}, {ID: "2", Text: "b"}}}
			q.Choice(s)
			_ = q.Check(json.RawMessage(s))
		},
		"page.Write": func(s string) { _ = page.Write(ctx, io.Discard, page.Page{Markdown: s}) },
		"dataset.Load": func(s string) {
			if d, err := dataset.Load(ctx, strings.NewReader(s), nil); err == nil {
				d.Close()
			}
		},
		"joinpath.Import": func(s string) { _, _, _ = joinpath.Import(strings.NewReader(s)) },
		"graphql.ParseSDL": func(s string) {
			_, _ = graphql.ParseSDL(s)
		},
	}
	mapping := must(esquery.ParseMapping([]byte(
		`{"a": {"mappings": {"properties": {"title": {"type": "text"}, "made": {"type": "date"}}}}}`)))
	validator := must(esquery.NewValidator(map[string]*esquery.Mapping{"a": mapping}, nil))
	all["esquery.Check"] = func(s string) {
		validator.Check("a", []byte(s))
		validator.Check("a", []byte(`{"query": {"match": {"title": `+quoted(s)+`}}}`))
		validator.Check("a", []byte(`{"query": {"range": {"made": {"gte": `+quoted(s)+`}}}}`))
		validator.Check("a", []byte(`{"query": {"query_string": {"query": `+quoted(s)+`}}}`))
	}
	api := must(graphql.NewGuard(must(graphql.ParseSDL("type Query { a(b: String): String }")), nil))
	all["graphql.Check"] = func(s string) {
		_, _ = api.Check(s, nil)
		_, _ = api.Check("{ a(b: "+quoted(s)+") }", json.RawMessage(s))
	}
	index := must(schemasearch.New(ctx, schema, nil))
	all["schemasearch"] = func(s string) { must(index.Search(ctx, s, 2)) }
	places := must(resolve.NewCatalog([]resolve.Entity{{Kind: "port", Name: "Port of Miami"}, {Kind: "port", Name: "Shanghai"}}, nil))
	all["resolve.Catalog"] = func(s string) { _, _ = places.Resolve(ctx, s, "") }
	fields := must(resolve.NewFieldCatalog([]resolve.Field{{Source: "a", Name: "arrivalDate"}, {Source: "a", Name: "delay"}}))
	all["resolve.FieldCatalog"] = func(s string) { _, _ = fields.Resolve(ctx, s, "a") }
	pairs := must(verified.Read(strings.NewReader(`{"question": "Who owes most?", "sql": "SELECT 1"}`+"\n"), nil))
	all["verified.Similar"] = func(s string) { _, _ = pairs.Similar(ctx, "", s, 3) }
	tables := map[string][]string{"customer": {"id", "name"}, "invoice": {"id", "customerId", "total"}}
	for name, guard := range map[string]*secureview.Guard{
		"mysql":    must(secureview.New(&secureview.Policy{Dialect: "mysql", Schema: "app", Tables: tables}, mysql.Dialect{})),
		"postgres": must(secureview.New(&secureview.Policy{Dialect: "postgres", Schema: "public", Tables: tables}, postgres.Dialect{})),
		"sqlite":   must(secureview.New(&secureview.Policy{Dialect: "sqlite", Tables: tables}, sqlite.Dialect{})),
	} {
		all["secureview/"+name] = func(s string) {
			for _, sql := range []string{s, "SELECT id FROM customer WHERE name = '" + s, "SELECT " + s, "SELECT id FROM customer WHERE " + s} {
				_, _ = guard.Rewrite(ctx, sql)
			}
		}
	}
	all["toolagent"] = func(s string) {
		model := llmtest.New(llmtest.Rule{Replies: []llmtest.Reply{{Text: s + "1"}}, Repeat: true})
		tool := qed.NewTool("weather", "The weather.", func(context.Context, struct{}) (string, error) { return s, nil })
		agent := must(toolagent.New(model, qed.NewRegistry(nil, tool), nil))
		_, _ = qed.Ask(ctx, agent, qed.Turn{Text: s[:min(len(s), 32<<10)]})
	}
	return all
}

// pieces yields a text as a model streams it.
func pieces(s string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for len(s) > 0 {
			n := min(len(s), 16)
			if !yield(s[:n]) {
				return
			}
			s = s[n:]
		}
	}
}

func readDocument(ctx context.Context, name, text string) {
	files := fstest.MapFS{name: {Data: []byte(text)}}
	_, _ = rag.Read(ctx, files, nil)
}

func quoted(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s)
	return strings.TrimSpace(b.String())
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
