package searchagent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/query"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/searchagent"
)

func newSource(t testing.TB, e searchagent.Engine, opt *searchagent.SourceOptions) query.Source {
	t.Helper()
	s, err := searchagent.NewSource("files", e, hiding(t), opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

type companyKey struct{}

func as(ctx context.Context, company string) context.Context {
	return context.WithValue(ctx, companyKey{}, company)
}

// ofCompany returns a filter that depends on the caller.
func ofCompany(ctx context.Context) (json.RawMessage, error) {
	company, ok := ctx.Value(companyKey{}).(string)
	if !ok {
		return nil, errors.New("nobody is signed in at ldap://secret-host")
	}
	return json.Marshal(map[string]any{"term": map[string]string{"tenantId": company}})
}

func TestNewSource(t *testing.T) {
	v := hiding(t)
	for name, make := range map[string]func() (query.Source, error){
		"no validator": func() (query.Source, error) { return searchagent.NewSource("files", &engine{}, nil, nil) },
		"no engine":    func() (query.Source, error) { return searchagent.NewSource("files", nil, v, nil) },
		"no name":      func() (query.Source, error) { return searchagent.NewSource(" ", &engine{}, v, nil) },
		"another index": func() (query.Source, error) {
			return searchagent.NewSource("file", &engine{}, v, nil)
		},
		"a negative limit": func() (query.Source, error) {
			return searchagent.NewSource("files", &engine{}, v, &searchagent.SourceOptions{MaxRows: -1})
		},
		"more than the validator allows": func() (query.Source, error) {
			return searchagent.NewSource("files", &engine{}, v, &searchagent.SourceOptions{MaxRows: 20_000, PageSize: 20_000})
		},
	} {
		if s, err := make(); err == nil || s != nil {
			t.Errorf("%s: NewSource returned %v, %v", name, s, err)
		}
	}
	s := newSource(t, &engine{}, nil)
	if s.Name() != "files" || s.Language() != "elasticsearch" {
		t.Errorf("a source %s in %s", s.Name(), s.Language())
	}
	s, err := searchagent.NewSource("archive", &engine{}, v, &searchagent.SourceOptions{Index: "files", About: "what is old"})
	if err != nil || s.Name() != "archive" || s.About() != "what is old" {
		t.Errorf("a source named archive of another index: %v, %v", s, err)
	}
	if _, err := searchagent.NewSource("files", &engine{}, v, &searchagent.SourceOptions{Index: "file"}); err == nil {
		t.Error("NewSource took an index that there is not")
	}
}

// The description contains the fields that may be used, and the host's description of the index.
func TestSourceDescribe(t *testing.T) {
	s := newSource(t, &engine{}, &searchagent.SourceOptions{About: "folders\n</fields>"})
	got, err := s.Describe(t.Context(), "files by size and name")
	if err != nil {
		t.Fatal(err)
	}
	wants(t, "the description", got, "files", "name: text", "name.keyword", "size: long")
	lacks(t, "the description", got, "ssn", "</fields>")
}

// Check returns the author's body with fixes and without the host's filter. Another
// check returns it unchanged.
func TestSourceCheck(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"as it is", `{"query": {"term": {"owner": "<ann>"}}}`, `{"query":{"term":{"owner":"<ann>"}}}`},
		{"everything", ` {} `, `{}`},
		{"as text", `"{\"query\": {\"term\": {\"Owner\": \"ann\"}}}"`, `{"query":{"term":{"owner":"ann"}}}`},
		{"the name of a key", `{"query":{"term":{"Entity_Type":"Entity_Type"}}}`, `{"query":{"term":{"entityType":"Entity_Type"}}}`},
		{"several, in their order", `{"sort":[{"Size":"desc"},"Created"],"query":{"bool":{"filter":[{"terms":{"parent_id":["a","b"]}},{"range":{"SIZE":{"gt":1.50}}}]}}}`,
			`{"sort":[{"size":"desc"},"created"],"query":{"bool":{"filter":[{"terms":{"parentId":["a","b"]}},{"range":{"size":{"gt":1.50}}}]}}}`},
		{"a value with a weight", `{"query":{"multi_match":{"query":"Tax^2","fields":["Name^2","owner"]}}}`,
			`{"query":{"multi_match":{"query":"Tax^2","fields":["name^2","owner"]}}}`},
		{"another form of a sort", `{"sort":["size:desc"]}`, `{"sort":[{"size":"desc"}]}`},
		{"the value of a parameter", `{"size":0,"aggs":{"OWNER":{"terms":{"field":"OWNER"}}}}`, `{"size":0,"aggs":{"OWNER":{"terms":{"field":"owner"}}}}`},
		{"a switch", `{"_source":"false"}`, `{"_source":false}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := &engine{}
			s := newSource(t, e, &searchagent.SourceOptions{Filter: ofCompany})
			ctx := as(t.Context(), "acme")
			got, err := s.Check(ctx, json.RawMessage(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("checked (-want +got):\n%s", diff)
			}
			again, err := s.Check(ctx, got)
			if err != nil || string(again) != string(got) {
				t.Errorf("checked again: %s, %v", again, err)
			}
			if len(e.ran)+len(e.counted) > 0 {
				t.Errorf("it was searched: %q", e.ran)
			}
		})
	}
}

// The problems say what is wrong and what may have been meant, and nothing about hidden
// fields.
func TestSourceRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		wants    []string
	}{
		{"no body", ``, []string{"{}"}},
		{"no JSON", `{"query":`, nil},
		{"an invalid text", `"{\"query\":"`, []string{"JSON"}},
		{"an empty text", `" "`, []string{"{}"}},
		{"several faults", `{"query":{"term":{"ownr":"ann"}},"sort":["sizes"],"_source":["SIZE"]}`, []string{"/query/term/ownr", "did you mean owner", "/sort/0"}},
		{"a field that is not there", `{"query":{"term":{"ownr":"ann"}}}`, []string{"/query/term/ownr", "owner"}},
		{"a hidden field", `{"query":{"term":{"ssn":"1"}}}`, []string{"/query/term/ssn"}},
		{"nearly a hidden field", `{"query":{"term":{"SSN":"1"}}}`, []string{"SSN"}},
		{"a script", `{"query":{"script":{"script":"1"}}}`, []string{"script"}},
		{"an aggregation around the filter", `{"aggs":{"all":{"global":{}}}}`, []string{"/aggs/all"}},
		{"more than a search may return", `{"size":20000}`, []string{"size"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := found(1)
			s := newSource(t, e, &searchagent.SourceOptions{Filter: ofCompany})
			ctx := as(t.Context(), "acme")
			got, err := s.Check(ctx, json.RawMessage(tt.in))
			written, ok := errors.AsType[*refusal.Error](err)
			if !ok || written.Problems[0].Code == "" || got != nil {
				t.Fatalf("checked: %s, %v", got, err)
			}
			wants(t, "the error", err.Error(), tt.wants...)
			lacks(t, "the error", err.Error(), "acme", "tenantId")
			if strings.Contains(err.Error(), "mean ssn") || !strings.Contains(strings.ToLower(tt.in), "ssn") && strings.Contains(err.Error(), "ssn") {
				t.Errorf("the error names a hidden field: %v", err)
			}
			if _, err := s.Run(ctx, json.RawMessage(tt.in)); !isRefused(err) || len(e.ran) > 0 {
				t.Errorf("it ran: %q, %v", e.ran, err)
			}
		})
	}
}

// A fault after more problems than a report lists is still a fault.
func TestSourceRefusesBehindManyProblems(t *testing.T) {
	body := `{"sort":["OWNER"` + strings.Repeat(`,"OWNER"`, 150) + `,"nothing"]}`
	got, err := newSource(t, &engine{}, nil).Check(t.Context(), json.RawMessage(body))
	if _, ok := errors.AsType[*refusal.Error](err); !ok || got != nil || len(err.Error()) > 10_000 {
		t.Errorf("checked: %s, %v", got, err)
	}
	// More fixes than a report lists are made as well.
	body = `{"sort":["OWNER"` + strings.Repeat(`,"OWNER"`, 150) + `]}`
	if got, err = newSource(t, &engine{}, nil).Check(t.Context(), json.RawMessage(body)); err != nil || string(got) != strings.ReplaceAll(body, "OWNER", "owner") {
		t.Errorf("checked: %s, %v", got, err)
	}
}

// The searches of each caller have the caller's filter, and no result contains it.
func TestSourceFilter(t *testing.T) {
	e := found(2)
	s := newSource(t, e, &searchagent.SourceOptions{Filter: ofCompany})
	for _, company := range []string{"acme", "globex"} {
		ctx := as(t.Context(), company)
		checked, err := s.Check(ctx, json.RawMessage(documentsBody))
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Run(ctx, checked)
		if err != nil {
			t.Fatal(err)
		}
		wants(t, "the search of "+company, e.ran[len(e.ran)-1], `"tenantId":"`+company+`"`)
		lacks(t, "what he can write down", string(checked)+got.Query.Written+got.HowToRetrieve, company, "tenantId")
	}
	lacks(t, "the second search", e.ran[1], "acme")
	// A filter in the body cannot widen the caller's filter.
	if _, err := s.Run(as(t.Context(), "acme"), json.RawMessage(`{"query":{"term":{"tenantId":"globex"}}}`)); err != nil {
		t.Fatal(err)
	}
	wants(t, "the search for another tenant", e.ran[2], `"tenantId":"acme"`, `"tenantId":"globex"`)
}

func TestSourceFilterFails(t *testing.T) {
	for name, filter := range map[string]func(context.Context) (json.RawMessage, error){
		"an error":         ofCompany,
		"none":             func(context.Context) (json.RawMessage, error) { return nil, nil },
		"no query":         func(context.Context) (json.RawMessage, error) { return json.RawMessage(`{"secret":"a"}`), nil },
		"an unknown field": func(context.Context) (json.RawMessage, error) { return json.RawMessage(`{"term":{"secret":"a"}}`), nil },
	} {
		t.Run(name, func(t *testing.T) {
			e := found(1)
			s := newSource(t, e, &searchagent.SourceOptions{Filter: filter})
			_, checked := s.Check(t.Context(), json.RawMessage(`{}`))
			_, ran := s.Run(t.Context(), json.RawMessage(`{}`))
			for _, err := range []error{checked, ran} {
				if !errors.Is(err, searchagent.ErrFilter) {
					t.Fatalf("error %v", err)
				}
				lacks(t, "the error", err.Error(), "secret")
			}
			if len(e.ran) > 0 {
				t.Errorf("it was searched: %q", e.ran)
			}
		})
	}
}

func TestSourceRun(t *testing.T) {
	e := found(3)
	got, err := newSource(t, e, nil).Run(t.Context(), json.RawMessage(`{"query":{"bool":{"filter":[{"term":{"Entity_Type":"DOCUMENT"}},{"term":{"parentId":"abc-123"}}]}},"_source":["size","name"]}`))
	if err != nil {
		t.Fatal(err)
	}
	const written = `{"query":{"bool":{"filter":[{"term":{"entityType":"DOCUMENT"}},{"term":{"parentId":"abc-123"}}]}},"_source":["size","name"]}`
	want := &query.Result{
		Table: &qed.Table{
			Columns: []qed.Column{{Name: "size", Type: "long"}, {Name: "name", Type: "text"}, {Name: "entityType", Type: "keyword"}, {Name: "parentId", Type: "keyword"}},
			Rows: [][]any{
				{int64(100), "File 1", "DOCUMENT", "abc-123"}, {int64(101), "File 2", "DOCUMENT", "abc-123"}, {int64(102), "File 3", "DOCUMENT", "abc-123"},
			},
		},
		Query:         qed.Query{Language: "elasticsearch", Index: "files", Written: written, Rows: 3},
		HowToRetrieve: "index files with " + written,
	}
	wants(t, "what ran", got.Query.Executed, `"track_total_hits":true`, `"size":1000`, `"entityType":"DOCUMENT"`)
	lacks(t, "what is said to have run", got.Query.Executed, "ssn")
	got.Query.Executed, got.Query.Millis = "", 0
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
}

// The result is a table, whatever the search asks for.
func TestSourceTables(t *testing.T) {
	const figures = `{"owners":{"sum_other_doc_count":0,"buckets":[{"key":"ann","doc_count":3,"newest":{"hits":{"hits":[{"_id":"1","_source":{"name":"a","ssn":"hidden"}}]}}},{"key":"bob","doc_count":1}]}}`
	for _, tt := range []struct {
		name, body string
		answer     answer
		want       *qed.Table
		total      int64
	}{
		{"figures", `{"aggs":{"owners":{"terms":{"field":"owner"},"aggs":{"newest":{"top_hits":{"size":1}}}}}}`, answer{total: 4, figures: figures},
			&qed.Table{Columns: []qed.Column{{Name: "owners", Type: "keyword"}, {Name: "count", Type: "long"}, {Name: "newest"}},
				Rows: [][]any{{"ann", int64(3), `[{"_id":"1","_source":{"name":"a"}}]`}, {"bob", int64(1), nil}}}, 0},
		{"a count", `{"size":0,"query":{"term":{"owner":"ann"}}}`, answer{total: 142}, count(142), 0},
		{"a count of nothing", `{"size":0}`, answer{}, count(0), 0},
		{"nothing", `{"query":{"term":{"owner":"ann"}}}`, answer{}, &qed.Table{}, 0},
		{"the newest", `{"size":1,"sort":[{"created":"desc"}],"_source":["name"]}`, answer{docs: []doc{{"1", `{"name":"a"}`}}, total: 142},
			&qed.Table{Columns: []qed.Column{{Name: "name", Type: "text"}}, Rows: [][]any{{"a"}}, Truncated: true}, 142},
		{"documents without a source", `{"size":1,"_source":false}`, answer{docs: []doc{{"1", ``}}},
			&qed.Table{Columns: []qed.Column{{Name: "_id", Type: "keyword"}}, Rows: [][]any{{"1"}}}, 0},
		{"a part of the index", `{"size":1}`, answer{docs: []doc{{"1", `{"name":"a"}`}}, partial: true},
			&qed.Table{Columns: []qed.Column{{Name: "name", Type: "text"}}, Rows: [][]any{{"a"}}, Truncated: true}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := newSource(t, &engine{answers: []answer{tt.answer}}, nil).Run(t.Context(), json.RawMessage(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got.Table); diff != "" {
				t.Errorf("table (-want +got):\n%s", diff)
			}
			if got.Total != tt.total || got.Query.Total != tt.total || got.Query.Rows != len(got.Table.Rows) || (got.Partial != "") != tt.answer.partial {
				t.Errorf("total %d of %+v, want %d; partial %q", got.Total, got.Query, tt.total, got.Partial)
			}
		})
	}
}

func count(n int64) *qed.Table {
	return &qed.Table{Columns: []qed.Column{{Name: "count", Type: "long"}}, Rows: [][]any{{n}}}
}

func TestSourcePages(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		found      int
		pageErr    error
		budget     int
		rows       int
		total      int64
		paged      int
	}{
		{name: "one page", found: 10, rows: 10},
		{name: "several", found: 25, rows: 25, paged: 3},
		{name: "more than are read", found: 80, rows: 40, total: 80, paged: 4},
		{name: "a size of its own", body: `{"size":5}`, found: 25, rows: 5, total: 25},
		{name: "a larger size than is read", body: `{"size":60}`, found: 80, rows: 40, total: 80},
		{name: "an order that has no pages", body: `{"sort":["owner"],"search_after":["a"]}`, found: 25, rows: 10, total: 25},
		{name: "a page that fails", found: 25, pageErr: engineFails(esquery.ErrExpired, "gone"), rows: 10, total: 25, paged: 1},
		{name: "a budget", found: 25, budget: 15, rows: 10, total: 25, paged: 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := &engine{answers: []answer{{docs: files(tt.found)}}, pageErr: tt.pageErr}
			ctx := t.Context()
			if tt.budget > 0 {
				ctx = budget.With(ctx, budget.Limits{Rows: tt.budget})
			}
			if tt.body == "" {
				tt.body = "{}"
			}
			got, err := newSource(t, e, &searchagent.SourceOptions{PageSize: 10, MaxRows: 40}).Run(ctx, json.RawMessage(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Table.Rows) != tt.rows || got.Total != tt.total || got.Table.Truncated != (tt.total > 0) || e.paged != tt.paged ||
				(got.Partial != "") != (tt.pageErr != nil || tt.budget > 0) {
				t.Errorf("%d rows of %d, truncated %v, in %d pages (%s)", len(got.Table.Rows), got.Total, got.Table.Truncated, e.paged, got.Partial)
			}
		})
	}
}

// The result has no hidden field of a document, although this engine returns it.
func TestSourceHides(t *testing.T) {
	for _, body := range []string{`{}`, `{"_source":["*"]}`, `{"_source":["s*"]}`} {
		e := &engine{answers: []answer{{docs: files(15)}}}
		got, err := newSource(t, e, &searchagent.SourceOptions{PageSize: 10}).Run(t.Context(), json.RawMessage(body))
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Table.Rows) != 15 || !strings.Contains(fmt.Sprint(got.Table.Columns), "size") {
			t.Errorf("%s: %+v", body, got.Table)
		}
		lacks(t, body, fmt.Sprintf("%+v %+v", *got.Table, got), "hidden", "ssn")
	}
}

func TestSourceFails(t *testing.T) {
	down := engineFails(esquery.ErrUnavailable, "no route")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	spent := budget.With(t.Context(), budget.Limits{Rows: -1})
	for _, tt := range []struct {
		name   string
		ctx    context.Context
		engine searchagent.Engine
		want   error
		mends  bool // the author of the search can
	}{
		{"the engine", t.Context(), &engine{answers: []answer{{err: down}}}, esquery.ErrUnavailable, false},
		{"the search", t.Context(), &engine{answers: []answer{{err: engineFails(esquery.ErrBadRequest, "no such order")}}}, esquery.ErrBadRequest, true},
		{"its size", t.Context(), &engine{answers: []answer{{err: engineFails(esquery.ErrTooLarge, "")}}}, esquery.ErrTooLarge, true},
		{"a cancelled caller", cancelled, found(1), context.Canceled, false},
		{"a spent budget", spent, found(1), budget.ErrExceeded, false},
		{"an engine that says nothing", t.Context(), silent{found(1)}, nil, false},
		{"a part of the index, and nothing in the rest", t.Context(), &engine{answers: []answer{{partial: true}}}, nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := newSource(t, tt.engine, nil).Run(tt.ctx, json.RawMessage(`{}`))
			if err == nil || got != nil || tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("result %+v, %v", got, err)
			}
			if _, ok := errors.AsType[*refusal.Error](err); ok != tt.mends {
				t.Errorf("%v is a refusal: %v", err, ok)
			}
		})
	}
}

// HowToRetrieve has the body without the host's filter, cut.
func TestSourceHowToRetrieve(t *testing.T) {
	got, err := newSource(t, found(0), &searchagent.SourceOptions{Filter: ofCompany}).Run(as(t.Context(), "acme"), json.RawMessage(`{"query": {"term": {"owner": "ann"}}}`))
	if want := `index files with {"query":{"term":{"owner":"ann"}}}`; err != nil || got.HowToRetrieve != want {
		t.Errorf("got %s, %v, want %s", got.HowToRetrieve, err, want)
	}
	long, err := json.Marshal(map[string]any{"query": map[string]any{"terms": map[string]any{"owner": strings.Fields(strings.Repeat(strings.Repeat("a", 200)+" ", 200))}}})
	if err != nil {
		t.Fatal(err)
	}
	got, err = newSource(t, found(0), nil).Run(t.Context(), long)
	if err != nil || len(got.HowToRetrieve) > 1100 {
		t.Errorf("%+v, %v", got, err)
	}
}

// isRefused reports whether a validator refused the body.
func isRefused(err error) bool {
	_, ok := errors.AsType[*refusal.Error](err)
	return ok
}

// A source says that it lacks documents whose values are too long for the index, if there
// are any.
func TestSourceLongValues(t *testing.T) {
	m, err := esquery.ParseMapping([]byte(`{"files":{"mappings":{"properties":{"name":{"type":"keyword","ignore_above":9}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	v, err := esquery.NewValidator(map[string]*esquery.Mapping{"files": m}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for long, want := range map[int64]string{0: "", 2: "In 2 documents, values of name have more than 9 characters."} {
		e := &engine{answers: []answer{{docs: []doc{{"1", `{"name":"Anna"}`}}}}, counts: map[string]int64{"_ignored": long}}
		s, err := searchagent.NewSource("files", e, v, nil)
		if err != nil {
			t.Fatal(err)
		}
		q := json.RawMessage(`{"query":{"prefix":{"name":"An"}}}`)
		got, err := s.Run(t.Context(), q)
		if err != nil || !strings.HasPrefix(got.Partial, want) || (got.Partial == "") != (want == "") {
			t.Errorf("%d long values: %+v, %v", long, got, err)
		}
		got, err = s.(query.Scanner).Scan(t.Context(), q, func([]qed.Column, []any) bool { return true })
		if err != nil || !strings.HasPrefix(got.Partial, want) || (got.Partial == "") != (want == "") {
			t.Errorf("scan of %d long values: %+v, %v", long, got, err)
		}
	}
}
