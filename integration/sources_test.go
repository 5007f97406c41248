package integration_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/esquery/esclient"
	"github.com/qedkit/qed/examples/fieldservice"
	"github.com/qedkit/qed/query"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/searchagent"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqlagent"
)

func searchSource(t *testing.T, url string, opt searchagent.SourceOptions) query.Source {
	t.Helper()
	const index = "source-entities"
	docs := entities()
	newIndex(t, url, index, entitiesDefinition)
	fillIndex(t, url, index, len(docs), func(i int) string { return docs[i] })
	client := esClient(t, url, esclient.Options{})
	mapping, err := client.Mapping(t.Context(), index)
	if err != nil {
		t.Fatal(err)
	}
	v, err := esquery.NewValidator(map[string]*esquery.Mapping{index: mapping}, &esquery.Options{Sensitive: []string{"common.taxId"}})
	if err != nil {
		t.Fatal(err)
	}
	opt.Filter = func(context.Context) (json.RawMessage, error) {
		return json.RawMessage(`{"term":{"tenantId":"acme"}}`), nil
	}
	s, err := searchagent.NewSource(index, client, v, &opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A source's searches find what its caller may see, by pages and mended, and nothing of
// what is hidden or another's.
func TestSearchSource(t *testing.T) {
	eachEngine(t, func(t *testing.T, url string) {
		s := searchSource(t, url, searchagent.SourceOptions{PageSize: 100})
		for _, tt := range []struct {
			name, body    string
			rows          int
			total         int64
			columns, cell string
		}{
			{"all of it, by page", `{"sort":[{"common.name.keyword":"asc"}]}`, 256, 0, "common.name", "Invoice_000.pdf"},
			{"mended", `{"query":{"term":{"System.parent_id":"abc-123"}},"_source":["common.name","size"],"sort":["common.name.keyword:asc"]}`, 2, 0, "common.name,size", "Receipt_Jan.pdf"},
			{"a size", `{"size":5,"sort":[{"common.name.keyword":"desc"}],"_source":["common.name"]}`, 5, 256, "common.name", "W2_2024.pdf"},
			{"figures", `{"size":0,"aggs":{"owners":{"terms":{"field":"system.owner"},"aggs":{"bytes":{"sum":{"field":"size"}},"one":{"top_hits":{"size":1}}}}}}`, 2, 0, "owners,count,bytes,one", "ann"},
			{"a count", `{"size":0,"query":{"term":{"entityType":"FOLDER"}}}`, 1, 0, "count", "3"},
			{"another's", `{"query":{"term":{"tenantId":"rival"}}}`, 0, 0, "", ""},
		} {
			t.Run(tt.name, func(t *testing.T) {
				q, err := s.Check(t.Context(), json.RawMessage(tt.body))
				if err != nil {
					t.Fatal(err)
				}
				got, err := s.Run(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				if len(got.Table.Rows) != tt.rows || got.Total != tt.total {
					t.Errorf("%d rows of %d, want %d of %d", len(got.Table.Rows), got.Total, tt.rows, tt.total)
				}
				var columns []string
				for _, c := range got.Table.Columns {
					columns = append(columns, c.Name)
				}
				if !strings.HasPrefix(strings.Join(columns, ","), tt.columns) {
					t.Errorf("columns %q, want %s", columns, tt.columns)
				}
				if tt.rows > 0 && fmt.Sprint(got.Table.Rows[0][0]) != tt.cell {
					t.Errorf("the first row is %v", got.Table.Rows[0])
				}
				all, err := json.Marshal(got)
				if err != nil {
					t.Fatal(err)
				}
				for _, marker := range []string{secretMarker, rivalMarker, "taxId"} {
					if strings.Contains(string(all), marker) {
						t.Errorf("%s got out: %s", marker, all)
					}
				}
			})
		}
		text, err := s.Describe(t.Context(), "documents of a folder")
		if err != nil || strings.Contains(text, "taxId") {
			t.Errorf("%v\n%s", err, text)
		}
	})
}

// A source runs and refuses the same statements as the agent of the company.
func TestSQLSourceOnSQLite(t *testing.T) {
	c := sqliteCompany(t)
	guard, err := secureview.New(c.policy, c.dialect)
	if err != nil {
		t.Fatal(err)
	}
	schema, err := c.reader.Introspect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s, err := sqlagent.NewSource("company", c.reader, guard, schema, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range fieldservice.Questions("sqlite") {
		if text, err := s.Describe(t.Context(), q.Question); err != nil || text == "" {
			t.Errorf("%s: described as %q, %v", q.ID, text, err)
		}
		last := q.Statements[len(q.Statements)-1]
		raw, err := json.Marshal(last)
		if err != nil {
			t.Fatal(err)
		}
		checked, err := s.Check(t.Context(), raw)
		if verb := strings.Fields(last)[0]; (verb == "SELECT" || verb == "WITH") != (err == nil) {
			t.Errorf("%s: %s: %v", q.ID, last, err)
		}
		if err != nil {
			continue
		}
		got, err := s.Run(t.Context(), checked)
		if err != nil {
			t.Errorf("%s: %v", q.ID, err)
			continue
		}
		if diff := cmp.Diff(got.Query.Rows, len(got.Table.Rows)); diff != "" {
			t.Error(diff)
		}
	}
}

// Scan reads all documents that a search finds, in pages, without the limit of Run and
// without what is hidden or another's.
func TestScanOfSearchSource(t *testing.T) {
	eachEngine(t, func(t *testing.T, url string) {
		s, ok := searchSource(t, url, searchagent.SourceOptions{PageSize: 100, MaxRows: 150}).(query.Scanner)
		if !ok {
			t.Fatal("the source is no query.Scanner")
		}
		scan := func(body string, most int) (rows [][]any, found *query.Result, err error) {
			found, err = s.Scan(t.Context(), json.RawMessage(body), func(columns []qed.Column, cells []any) bool {
				if len(columns) != len(cells) {
					t.Errorf("%d cells for %d columns", len(cells), len(columns))
				}
				rows = append(rows, cells)
				return len(rows) < most
			})
			return rows, found, err
		}
		rows, found, err := scan(`{}`, 1000)
		if err != nil || len(rows) != 256 || found.Query.Rows != 256 || found.Query.Executed == "" {
			t.Fatalf("%d rows, %+v, %v", len(rows), found, err)
		}
		for _, c := range found.Table.Columns {
			if c.Name == "common.taxId" {
				t.Error("a hidden field is read")
			}
		}
		if rows, _, err = scan(`{}`, 120); err != nil || len(rows) != 120 {
			t.Errorf("stopped after %d rows of 120: %v", len(rows), err)
		}
		if rows, _, err = scan(`{"query":{"term":{"tenantId":"rival"}}}`, 1000); err != nil || len(rows) > 0 {
			t.Errorf("another's: %d rows, %v", len(rows), err)
		}
		for _, body := range []string{
			`{"size":5}`, `{"from":10}`, `{"size":0,"aggs":{"owners":{"terms":{"field":"system.owner"}}}}`,
			`{"query":{"term":{"common.taxId":"1"}}}`,
		} {
			if _, _, err := scan(body, 1000); !isRefusal(err) {
				t.Errorf("%s: %v, want a refusal", body, err)
			}
		}
	})
}

func isRefusal(err error) bool {
	_, ok := errors.AsType[*refusal.Error](err)
	return ok
}
