package integration_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/esquery/esclient"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/searchagent"
	"github.com/qedkit/qed/store"
)

// faultProxy returns the URL of a proxy before an engine. fail gets the body of each
// search, and reports whether it replied in place of the engine.
func faultProxy(t *testing.T, engine string, fail func(w http.ResponseWriter, r *http.Request, body string) bool) string {
	t.Helper()
	to, err := url.Parse(engine)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(to)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/_search") {
			body, err := io.ReadAll(r.Body)
			if err != nil || fail(w, r, string(body)) {
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// crashes replies with HTTP 500, as an engine whose node fails with a search does.
func crashes(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Elastic-Product", "Elasticsearch")
	w.WriteHeader(http.StatusInternalServerError)
	io.WriteString(w, `{"error":{"type":"null_pointer_exception","reason":"oops"},"status":500}`)
}

// requests returns how many requests of a name the model got.
func (trial *searchTrial) requests(name string) (n int) {
	for _, r := range trial.model.Requests() {
		if r.Name == name {
			n++
		}
	}
	return n
}

// A search that fails once with HTTP 500 is repeated. If it fails again it is written again
// once, and then the answer has what was found before.
func TestSearchAgentWhenTheEngineCrashes(t *testing.T) {
	other := strings.Replace(documentsIn("abc-200"), "asc", "desc", 1)
	for _, tt := range []struct {
		name    string
		crash   func(body string, searches int) bool // searches counts those with the text abc-200
		written int                                  // searches of the second task
		partial bool
	}{
		{"once", func(_ string, n int) bool { return n == 1 }, 1, false},
		{"with one search", func(body string, _ int) bool { return strings.Contains(body, `"asc"`) }, 2, false},
		{"always", func(string, int) bool { return true }, 2, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			eachEngine(t, func(t *testing.T, engine string) {
				var searches atomic.Int32
				proxy := faultProxy(t, engine, func(w http.ResponseWriter, _ *http.Request, body string) bool {
					if !strings.Contains(body, `"abc-200"`) || !tt.crash(body, int(searches.Add(1))) {
						return false
					}
					crashes(w)
					return true
				})
				documents := searchBodies("find its documents", documentsIn("abc-200"), other)
				documents.Contains = append(documents.Contains, `"abc-200"`)
				trial := newSearchTrial(t, proxy, &searchagent.Options{Store: &store.InMemory{}, PageSize: 300}, folderThenDocuments(),
					searchBodies("find the folder", folderNamed("Invoices")), documents, searchWords("There are 250."))
				_, got := trial.ask(t, "List the documents in Invoices")
				if n := trial.requests("generate"); n != 1+tt.written || got.Partial != tt.partial {
					t.Errorf("%d searches were written: %+v", n, got)
				}
				if tt.partial {
					if len(got.Queries) != 2 || got.Queries[1].Executed != "" || len(got.Queries[1].Corrections) != 1 || len(got.Citations) != 1 || !strings.Contains(got.PartialReason, "broke off") {
						t.Errorf("answer = %+v", got)
					}
				} else if len(got.Queries) != 2 || len(got.Table.Rows) != 250 {
					t.Errorf("answer = %+v", got)
				}
			})
		})
	}
}

// If the first search always fails with HTTP 500, the turn fails.
func TestSearchAgentWhenTheEngineOnlyCrashes(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		proxy := faultProxy(t, engine, func(w http.ResponseWriter, _ *http.Request, _ string) bool { crashes(w); return true })
		trial := newSearchTrial(t, proxy, nil, folderThenDocuments(), searchBodies("find the folder", folderNamed("Invoices"), folderNamed("invoices")))
		_, got, err := trial.run(t, qed.Turn{Text: "List the documents in Invoices"})
		if !errors.Is(err, esquery.ErrUnavailable) || trial.requests("generate") != 2 {
			t.Errorf("answer = %+v, %v", got, err)
		}
	})
}

// A node that never replies costs one timeout: the search runs on another node, or the turn
// fails, without another call of the model.
func TestSearchAgentWhenANodeIsSilent(t *testing.T) {
	const timeout = 2 * time.Second
	eachEngine(t, func(t *testing.T, engine string) {
		for _, other := range []bool{true, false} {
			t.Run(fmt.Sprint("another node ", other), func(t *testing.T) {
				var asked atomic.Int32
				silent := faultProxy(t, engine, func(_ http.ResponseWriter, r *http.Request, _ string) bool {
					asked.Add(1)
					<-r.Context().Done() // the client gave up
					return true
				})
				cfg := esclient.Options{Timeout: timeout}
				nodes := silent
				if other {
					nodes, cfg.URLs = engine, []string{silent}
				}
				trial := newSearchTrialOf(t, nodes, cfg, &searchagent.Options{SkipClassification: true}, folderThenDocuments(),
					searchBodies("find the folder", folderNamed("Invoices")), searchBodies("find its documents", documentsIn("abc-200")), searchWords("There are 250."))
				began := time.Now()
				_, got, err := trial.run(t, qed.Turn{Text: "List the documents in Invoices"})
				took := time.Since(began)
				if asked.Load() == 0 {
					t.Fatal("the silent node was not asked")
				}
				if other {
					if err != nil || got.Partial || len(got.Table.Rows) != 250 {
						t.Errorf("answer = %+v, %v", got, err)
					}
					return
				}
				var failure *esquery.EngineError
				if !errors.As(err, &failure) || trial.requests("generate") != 1 || asked.Load() != 1 || took > 2*timeout {
					t.Errorf("after %v and %d requests: %+v, %v", took, asked.Load(), got, err)
				}
			})
		}
	})
}

// Of 30 documents the user chooses one of the first ten.
func TestSearchAgentNarrows(t *testing.T) {
	eachEngine(t, func(t *testing.T, url string) {
		details := searchBodies("find its details", `{"query":{"term":{"system.id":"inv-3"}}}`)
		details.Contains = append(details.Contains, `"inv-3"`, "It found 1")
		trial := newSearchTrial(t, url, &searchagent.Options{Store: &store.InMemory{}},
			searchPlan(searchStep("invoice", "find the invoice", true), searchStep("details", "find its details", false, "invoice")),
			searchBodies("find the invoice", `{"query":{"range":{"common.name.keyword":{"gte":"Invoice_000","lt":"Invoice_030"}}},"sort":["common.name.keyword"],"size":1}`),
			details, searchWords("There it is."))
		_, asked := trial.ask(t, "Show the details of the invoice")
		if len(asked.Questions) != 1 || len(asked.Questions[0].Choices) != 11 || !strings.Contains(asked.Questions[0].Text, "30 matches") {
			t.Fatalf("asked %+v", asked)
		}
		i := slices.IndexFunc(asked.Questions[0].Choices, func(c question.Choice) bool { return strings.Contains(c.Text, "Invoice_003.pdf") })
		if i < 0 {
			t.Fatalf("asked %+v", asked)
		}
		value, err := json.Marshal(asked.Questions[0].Choices[i].ID)
		if err != nil {
			t.Fatal(err)
		}
		_, got, err := trial.run(t, qed.Turn{Replies: []question.Reply{{Question: asked.Questions[0].ID, Value: value}}})
		if err != nil {
			t.Fatal(err)
		}
		if got.Partial || got.Text != "There it is." || len(got.Table.Rows) != 1 || got.Table.Rows[0][0] != "Invoice_003.pdf" || got.Queries[0].Rows != 30 {
			t.Errorf("answer = %+v", got)
		}
	})
}

// The answer has whole documents within the bound, and without hidden fields.
func TestSearchAgentDocuments(t *testing.T) {
	const most = 2000
	eachEngine(t, func(t *testing.T, url string) {
		trial := newSearchTrial(t, url, &searchagent.Options{MaxDocumentBytes: most}, folderThenDocuments(),
			searchBodies("find the folder", folderNamed("Invoices")), searchBodies("find its documents", documentsIn("abc-200")),
			searchWords("There they are."))
		_, got := trial.ask(t, "List the documents in Invoices")
		if got.Partial || len(got.Table.Rows) != 250 {
			t.Errorf("answer = %+v", got)
		}
		size := 0
		for _, d := range got.Documents {
			size += len(d.Source)
			var whole struct {
				Common map[string]any
				System map[string]any
			}
			if err := json.Unmarshal(d.Source, &whole); err != nil || whole.System["id"] == "" || whole.Common["taxId"] != nil {
				t.Errorf("document %s: %s, %v", d.ID, d.Source, err)
			}
		}
		if len(got.Documents) < 5 || size > most || size < most/2 {
			t.Errorf("%d documents with %d bytes", len(got.Documents), size)
		}
	})
}
