package integration_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/esquery/esclient"
	"github.com/qedkit/qed/integration"
)

// TestSearchAgreement checks the validator against both engines. A body that it
// accepts finds what the body as it was written finds. A body that an engine
// answers with 200 and a wrong or empty result is refused. A fault that the
// validator leaves to the engines is rejected by both of them.
func TestSearchAgreement(t *testing.T) {
	for name, start := range map[string]func(testing.TB) string{
		"Elasticsearch": integration.Elasticsearch,
		"OpenSearch":    integration.OpenSearch,
	} {
		t.Run(name, func(t *testing.T) {
			e := newSearchEngine(t, start(t))
			v := e.validator(t)
			var n searchCount
			for _, c := range searchCases(t) {
				n.bodies++
				if lacks := e.lacksAny(t, c.Needs); len(lacks) > 0 {
					n.skipped++
					continue
				}
				e.compare(t, v, &c, &n)
			}
			t.Logf("lacks %v, which %d of %d bodies need; of %d right ones %d find something; of %d faulty ones it answers %d with 200 (%.0f %%), %d of them with nothing or the wrong thing, of which %d are let through; it rejects %d by itself",
				e.lacking(), n.skipped, n.bodies, n.right, n.found, n.faulty, n.answered, 100*float64(n.answered)/float64(max(n.faulty, 1)), n.silent, n.missed, n.rejected)
			if n.skipped > n.bodies/8 {
				t.Errorf("the engine lacks what %d of %d bodies need", n.skipped, n.bodies)
			}
			if n.found < n.right*95/100 {
				t.Errorf("the documents do not suit the bodies: of %d right ones %d find something", n.right, n.found)
			}
		})
	}
}

// searchCount is what became of the bodies of the corpus on one engine.
type searchCount struct {
	bodies, skipped int
	right, found    int
	faulty          int
	rejected        int // faulty as well: left to the engine, which rejects them
	answered        int // of faulty: with 200, as they were written
	silent          int // of answered: with nothing, or something else
	missed          int // of silent: let through unchanged
}

// compare sends a body as it was written, and what the validator made of it.
func (e *searchEngine) compare(t *testing.T, v *esquery.Validator, c *searchCase, n *searchCount) {
	t.Helper()
	index := searchPrefix + c.Index
	report := v.Check(index, c.text())
	if report.Verdict != c.Expect {
		t.Errorf("%s %s: %s, want %s: %v", c.ID, c.text(), report.Verdict, c.Expect, report.Problems)
	}
	switch {
	case c.Rejected:
		n.rejected++
	case c.Expect == esquery.OK:
		n.right++
	default:
		n.faulty++
	}
	if c.Harmful {
		return
	}
	written := e.search(t, index, c.text())
	if c.Rejected {
		if written.err == "" {
			t.Errorf("%s %s: the validator leaves this fault to the engine, which answers it with 200", c.ID, c.text())
		}
		return
	}
	switch {
	case c.Expect != esquery.OK && written.err == "":
		n.answered++
		if c.Silent {
			n.silent++
			if report.Verdict == esquery.OK {
				n.missed++
				t.Errorf("%s %s: the engine answers this fault with 200, and the validator lets it through", c.ID, c.text())
			}
		}
	case written.err != "" && report.Verdict == esquery.OK:
		t.Errorf("%s %s: the validator accepts it, the engine says %s", c.ID, c.text(), written.err)
	}
	if report.Verdict == esquery.Refused {
		return
	}
	printed := written
	if !bytes.Equal(report.Body(), c.text()) {
		printed = e.search(t, index, report.Body())
	}
	if printed.err != "" {
		t.Errorf("%s %s: printed as %s, the engine says %s", c.ID, c.text(), report.Body(), printed.err)
		return
	}
	if c.Expect == esquery.OK && printed.found {
		n.found++
	}
	if report.Verdict == esquery.Fixed {
		if !printed.found {
			t.Errorf("%s %s: fixed as %s, it finds nothing", c.ID, c.text(), report.Body())
		}
		return
	}
	if diff := cmp.Diff(plainJSON(t, c.text()), plainJSON(t, report.Body())); diff != "" {
		t.Errorf("%s: printed otherwise than written (-written +printed):\n%s", c.ID, diff)
	}
	if diff := cmp.Diff(written.says, printed.says); diff != "" && cmp.Equal(written.says, e.search(t, index, c.text()).says) { // no "now" in it
		t.Errorf("%s %s: printed as %s, it answers otherwise (-written +printed):\n%s", c.ID, c.text(), report.Body(), diff)
	}
}

// searchEngine is an engine that has the indices of the corpus, as far as it has
// their types.
type searchEngine struct {
	url    string
	lacks  map[string]bool // what was asked for, and whether it is missing
	client *esclient.Client
}

func newSearchEngine(t *testing.T, address string) *searchEngine {
	t.Helper()
	client, err := esclient.New(&esclient.Options{URLs: []string{address}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	e := &searchEngine{url: address, lacks: map[string]bool{}, client: client}
	documents := searchFiles(t, ".docs.jsonl")
	for name, index := range searchIndices(t) {
		if _, ok := index.Mappings["runtime"]; ok && e.lacksAny(t, []string{"runtime"}) != nil {
			delete(index.Mappings, "runtime")
		}
		dropped := e.drop(t, "", index.Mappings["properties"].(map[string]any))
		e.must(t, http.MethodPut, "/"+searchPrefix+name, index)
		t.Cleanup(func() { e.must(t, http.MethodDelete, "/"+searchPrefix+name, nil) })
		for _, d := range searchDocuments(t, documents[name]) {
			for _, path := range dropped {
				remove(d.source, path)
			}
			to := "/" + searchPrefix + name + "/_doc/" + d.id
			if d.routing != "" {
				to += "?routing=" + url.QueryEscape(d.routing)
			}
			e.must(t, http.MethodPut, to, d.source)
		}
		e.must(t, http.MethodPost, "/"+searchPrefix+name+"/_refresh", nil)
	}
	return e
}

// validator makes a Validator of what the engine says of its indices.
func (e *searchEngine) validator(t *testing.T) *esquery.Validator {
	t.Helper()
	indices := map[string]*esquery.Mapping{}
	for name := range searchIndices(t) {
		mapping, err := e.client.Mapping(t.Context(), searchPrefix+name)
		if err != nil {
			t.Fatal(err)
		}
		indices[searchPrefix+name] = mapping
	}
	v, err := esquery.NewValidator(indices, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// drop takes away the fields of types that the engine lacks, and returns their paths.
func (e *searchEngine) drop(t *testing.T, prefix string, properties map[string]any) (dropped []string) {
	t.Helper()
	for name, definition := range properties {
		field := definition.(map[string]any)
		if kind, ok := field["type"].(string); ok && e.lacksType(t, kind, field) {
			delete(properties, name)
			dropped = append(dropped, prefix+name)
			continue
		}
		if below, ok := field["properties"].(map[string]any); ok {
			dropped = append(dropped, e.drop(t, prefix+name+".", below)...)
		}
	}
	return dropped
}

func (e *searchEngine) lacksType(t *testing.T, kind string, field map[string]any) bool {
	need := "type:" + kind
	lacks, known := e.lacks[need]
	if !known && kind != "object" && kind != "nested" && kind != "alias" {
		lacks = !e.takes(t, map[string]any{"properties": map[string]any{"f": field}})
		e.lacks[need] = lacks
	}
	return lacks
}

// takes reports whether the engine makes an index with these mappings.
func (e *searchEngine) takes(t *testing.T, mappings map[string]any) bool {
	t.Helper()
	const try = "/" + searchPrefix + "try"
	analysis := map[string]any{"normalizer": map[string]any{"lower": map[string]any{"type": "custom", "filter": []string{"lowercase"}}}}
	status, _ := e.do(t, http.MethodPut, try, map[string]any{"settings": map[string]any{"analysis": analysis}, "mappings": mappings})
	if status == http.StatusOK {
		e.must(t, http.MethodDelete, try, nil)
	}
	return status == http.StatusOK
}

// lacksAny asks the engine which of these things it lacks: "type:join", "query:knn",
// "aggregation:multi_terms", "key:knn" of a body, "runtime" fields, or to be
// "elasticsearch", where the engines differ in a parameter alone.
func (e *searchEngine) lacksAny(t *testing.T, needs []string) (lacks []string) {
	t.Helper()
	for _, need := range needs {
		if _, known := e.lacks[need]; !known {
			e.lacks[need] = e.asksFor(t, need)
		}
		if e.lacks[need] {
			lacks = append(lacks, need)
		}
	}
	return lacks
}

func (e *searchEngine) asksFor(t *testing.T, need string) (lacks bool) {
	t.Helper()
	kind, name, _ := strings.Cut(need, ":")
	const search = "/" + searchPrefix + "files/_search"
	says := func(body map[string]any, unknown string) bool {
		_, answer := e.do(t, http.MethodPost, search, body)
		return bytes.Contains(answer, []byte(unknown))
	}
	switch kind {
	case "query":
		return says(map[string]any{"query": map[string]any{name: map[string]any{}}}, "unknown query")
	case "aggregation":
		return says(map[string]any{"aggs": map[string]any{"a": map[string]any{name: map[string]any{}}}}, "Unknown aggregation type")
	case "key":
		return says(map[string]any{name: map[string]any{}}, "Unknown key")
	case "runtime":
		return !e.takes(t, map[string]any{"runtime": map[string]any{"f": map[string]any{"type": "keyword"}}})
	case "elasticsearch":
		server, err := e.client.Server(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return server.Distribution != need
	}
	t.Fatalf("a body needs %q: what is that?", need)
	return false
}

// lacking lists what the engine was asked for and lacks.
func (e *searchEngine) lacking() []string {
	var lacks []string
	for _, need := range slices.Sorted(maps.Keys(e.lacks)) {
		if e.lacks[need] {
			lacks = append(lacks, need)
		}
	}
	return lacks
}

// searched is what an engine answered.
type searched struct {
	err   string // why it did not, or not wholly
	found bool   // there are hits, buckets or suggestions
	says  map[string]any
}

// search sends a body as it is.
func (e *searchEngine) search(t *testing.T, index string, body []byte) searched {
	t.Helper()
	status, text := e.do(t, http.MethodPost, "/"+index+"/_search", json.RawMessage(body))
	if status != http.StatusOK {
		return searched{err: fmt.Sprintf("%d %.300s", status, text)}
	}
	says := plainJSON(t, text).(map[string]any)
	if says["timed_out"] != false || fmt.Sprint(says["_shards"].(map[string]any)["failed"]) != "0" {
		return searched{err: fmt.Sprintf("%.300s", text)}
	}
	hits := says["hits"].(map[string]any)
	listed, _ := hits["hits"].([]any)
	found := len(listed) > 0 || says["aggregations"] != nil || says["suggest"] != nil
	if total, ok := hits["total"].(map[string]any); ok {
		found = found || fmt.Sprint(total["value"]) != "0"
	}
	delete(says, "took")
	delete(says, "_shards")
	return searched{found: found, says: says}
}

// do sends JSON, or a text as it is, and returns the answer.
func (e *searchEngine) do(t *testing.T, method, path string, body any) (int, []byte) {
	t.Helper()
	var text []byte
	switch b := body.(type) {
	case nil:
	case json.RawMessage:
		text = b
	default:
		var err error
		if text, err = json.Marshal(b); err != nil {
			t.Fatal(err)
		}
	}
	req, err := http.NewRequest(method, e.url+path, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, answer
}

func (e *searchEngine) must(t *testing.T, method, path string, body any) {
	t.Helper()
	if status, answer := e.do(t, method, path, body); status >= 300 {
		t.Fatalf("%s %s: %d %s", method, path, status, answer)
	}
}

// remove takes the value of that path away.
func remove(source map[string]any, path string) {
	for {
		name, rest, more := strings.Cut(path, ".")
		if !more {
			delete(source, name)
			return
		}
		below, ok := source[name].(map[string]any)
		if !ok {
			return
		}
		source, path = below, rest
	}
}

// plainJSON is what a JSON text says, its numbers as they are written.
func plainJSON(tb testing.TB, text []byte) any {
	tb.Helper()
	if len(bytes.TrimSpace(text)) == 0 {
		return map[string]any{}
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
	return value
}
