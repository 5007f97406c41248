package integration_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/integration"
)

// Two indices differ only in the documents of another tenant and in the values of hidden
// fields. Every accepted body must have the same answer on both, apart from scores:
// otherwise a caller could read the difference bit by bit.

var leakIndices = [...]string{"qed-leak-0", "qed-leak-1"}

const leakMapping = `{"settings":{"number_of_shards":1,"number_of_replicas":0},"mappings":{"properties":{
	"tenant":{"type":"keyword"},"title":{"type":"text","fields":{"raw":{"type":"keyword"}}},
	"status":{"type":"keyword"},"state":{"type":"alias","path":"status"},"amount":{"type":"long"},"created":{"type":"date"},
	"ssn":{"type":"keyword","ignore_above":9,"fields":{"text":{"type":"text"}},"copy_to":"all"},"all":{"type":"text"},
	"pin":{"type":"long","ignore_malformed":true},"social":{"type":"alias","path":"ssn"},
	"person":{"properties":{"name":{"type":"keyword"},"ssn":{"type":"keyword"}}},
	"lines":{"type":"nested","properties":{"sku":{"type":"keyword"},"price":{"type":"long"},"secret":{"type":"keyword"}}},
	"labels":{"type":"%s"},"marks":{"type":"alias","path":"labels"},
	"raw":{"type":"object","enabled":false},"loose":{"type":"object","dynamic":"false","properties":{"y":{"type":"keyword"}}}}}}`

var leakSensitive = []string{"ssn", "pin", "person.ssn", "lines.secret", "raw.ssn", "loose.ssn", "labels.secret"}

// leakGrammar generates bodies: a name in <> is replaced at random.
var leakGrammar = map[string][]string{
	"F": {"title", "title.raw", "status", "state", "amount", "created", "person", "person.name", "lines", "lines.sku", "labels", "labels.color", "marks.color",
		"loose.y", "loose.x", "raw.x", "_id", "_ignored", "_source", "_size", "ssn", "ssn.text", "social", "all", "pin", "SSN", `s\u0073n`, "ssn.", "person.ssn",
		"lines.secret", "labels.secret", "marks", "marks.secret", "raw", "raw.", "raw..ssn", "loose.ssn", "*", "person.*", "t*", "*sn", "*son"},
	"K": {"status", "state", "title.raw", "tenant", "person.name", "labels.color", "marks.color", "amount", "_index", "_id", "_ignored", "<F>"},
	"N": {"amount", "created", "lines.price", "<F>"},
	"T": {"title", "title", "title.raw", "t*", "<F>"},
	"V": {`"own0"`, `"own1"`, `"zebra"`, `"zebr"`, `"the"`, `"foreign1"`, `"hidden0"`, `"a"`, `"b"`, `"red"`, `1`, `"2024-01-02"`},
	"I": {"1", "2", "49", "50"},
	"Q": {`{"match_all":{}}`, `{"term":{"<K>":<V>}}`, `{"terms":{"<K>":[<V>,<V>]}}`, `{"match":{"<T>":<V>}}`, `{"exists":{"field":"<F>"}}`, `{"prefix":{"<K>":<V>}}`,
		`{"range":{"<N>":{"gte":<V>}}}`, `{"range":{"<K>":{"gte":"a","lte":"s"}}}`, `{"match":{"<T>":{"query":<V>,"fuzziness":1,"max_expansions":<I>}}}`,
		`{"match_phrase_prefix":{"<T>":{"query":<V>,"max_expansions":<I>}}}`, `{"fuzzy":{"<T>":{"value":<V>,"max_expansions":<I>}}}`,
		`{"prefix":{"<T>":{"value":<V>,"rewrite":"top_terms_<I>"}}}`, `{"simple_query_string":{"query":"zebr~1","fields":["<T>"],"fuzzy_max_expansions":<I>}}`,
		`{"multi_match":{"query":<V>,"fields":["<T>","<F>"],"lenient":true}}`, `{"bool":{"must":[<Q>],"must_not":[<Q>]}}`, `{"bool":{"should":[<Q>,<Q>]}}`,
		`{"constant_score":{"filter":<Q>}}`, `{"nested":{"path":"lines","query":<L>}}`},
	"L": {`{"match_all":{}}`, `{"term":{"lines.sku":<V>}}`, `{"exists":{"field":"lines.secret"}}`, `{"exists":{"field":"lines.s*"}}`, `{"term":{"lines.secret":"hidden0"}}`},
	"S": {"true", `"*"`, `["<F>","*"]`, `{"includes":["<F>"],"excludes":["title"]}`, `["person","raw","lines","loose","labels"]`, `["**","*secret"]`},
	"A": {`{"terms":{"field":"<K>","size":50,"min_doc_count":<M>}<B>}`, `{"significant_terms":{"field":"<K>","min_doc_count":1}}`,
		`{"cardinality":{"field":"<K>"}}`, `{"missing":{"field":"<K>"}<B>}`,
		`{"filters":{"filters":[<Q>,<Q>],"other_bucket":true}<B>}`,
		`{"nested":{"path":"lines"},"aggs":{"l":{"terms":{"field":"lines.sku","min_doc_count":<M>},"aggs":{"r":{"reverse_nested":{}<B>}}}}}`,
		`{"top_hits":{"size":50,<H1>}}`, `{"stats":{"field":"<N>"}}`, `{"histogram":{"field":"<N>","interval":2}}`, `{"global":{}<B>}`},
	"B":  {"", "", `,"aggs":{"b":<A>}`},
	"M":  {"0", "1"},
	"H1": {`"_source":<S>`, `"fields":["<F>"]`, `"highlight":{"fields":{"<T>":{"no_match_size":50}}}`},
	"": {`{"size":50,"query":<Q>}`, `{"size":50,"query":<Q>,<H1>}`, `{"size":50,"sort":["<K>"],<H1>}`, `{"size":50,"post_filter":<Q>}`, `{"size":0,"query":<Q>,"aggs":{"a":<A>}}`,
		`{"size":0,"aggs":{"a":<A>}}`, `{"size":50,"_source":false,"fields":["<F>","<F>"]}`},
}

func leakBody(r *rand.Rand, of string, depth int) string {
	choice := leakGrammar[of]
	made := choice[r.IntN(len(choice))]
	if depth > 8 {
		made = choice[0]
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(made, "<")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		part, after, _ := strings.Cut(rest, ">")
		b.WriteString(leakBody(r, part, depth+1))
		made = after
	}
}

func TestSearchTellsNothingElasticsearch(t *testing.T) {
	searchTellsNothing(t, integration.Elasticsearch(t), "flattened")
}

func TestSearchTellsNothingOpenSearch(t *testing.T) {
	searchTellsNothing(t, integration.OpenSearch(t), "flat_object")
}

func searchTellsNothing(t *testing.T, url, flattened string) {
	var guards [2]*esquery.Validator
	for i, name := range leakIndices {
		guards[i] = fillLeakIndex(t, url, name, flattened, i)
	}
	bodies := []string{
		`{"size":50,"query":{"match_phrase_prefix":{"title":{"query":"zeb","max_expansions":1}}}}`,
		`{"size":50,"query":{"fuzzy":{"title":{"value":"zebr","max_expansions":1}}}}`,
		`{"size":50,"_source":false,"fields":["labels.color"]}`,
		`{"size":50,"query":{"term":{"marks":"hidden0"}}}`,
		`{"size":0,"aggs":{"a":{"terms":{"field":"_ignored"}}}}`,
	}
	r := rand.New(rand.NewPCG(6, 6))
	for range 400 {
		bodies = append(bodies, leakBody(r, "", 0))
	}
	ran := 0
	for _, body := range bodies {
		var answers [2]any
		for i, name := range leakIndices {
			search, err := guards[i].Check(name, []byte(body)).Search()
			if err != nil {
				break
			}
			status, text := attackRequest(t, url, "POST", "/"+name+"/_search", search.Body())
			if status != http.StatusOK {
				break
			}
			if strings.Contains(string(text), "hidden") || strings.Contains(string(text), "foreign") {
				t.Errorf("%s\nleaked: %.1000s", body, text)
			}
			answers[i] = comparable(t, text)
		}
		if answers[0] == nil {
			continue
		}
		ran++
		if diff := cmp.Diff(answers[0], answers[1]); diff != "" {
			t.Errorf("%s\nis answered differently where only others' documents and hidden values differ:\n%s", body, diff)
		}
	}
	if t.Logf("%d of %d bodies were answered", ran, len(bodies)); ran < 60 {
		t.Errorf("only %d bodies were answered: that shows little", ran)
	}
}

// comparable returns an answer without scores, the order by scores, and the names of the
// indices and of malformed fields.
func comparable(t *testing.T, answer []byte) any {
	t.Helper()
	for _, name := range leakIndices {
		answer = bytes.ReplaceAll(answer, []byte(name), []byte("index"))
	}
	var v any
	if err := json.Unmarshal(answer, &v); err != nil {
		t.Fatal(err)
	}
	return withoutScores(v)
}

func withoutScores(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range []string{"took", "_score", "max_score", "score", "_ignored"} {
			delete(v, key)
		}
		for key := range v {
			v[key] = withoutScores(v[key])
		}
	case []any:
		for i := range v {
			v[i] = withoutScores(v[i])
		}
		slices.SortFunc(v, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	}
	return v
}

// fillLeakIndex creates one of the indices, and returns its validator.
func fillLeakIndex(t *testing.T, url, name, flattened string, variant int) *esquery.Validator {
	t.Helper()
	attackRequest(t, url, "DELETE", "/"+name, nil)
	if status, answer := attackRequest(t, url, "PUT", "/"+name, fmt.Appendf(nil, leakMapping, flattened)); status != http.StatusOK {
		t.Fatalf("the index: %d %s", status, answer)
	}
	t.Cleanup(func() { attackRequest(t, url, "DELETE", "/"+name, nil) })
	var bulk bytes.Buffer
	add := func(id, tenant, title, status, hidden string, amount int) {
		fmt.Fprintf(&bulk, "{\"index\":{\"_id\":%q}}\n", id)
		fmt.Fprintf(&bulk, `{"tenant":%q,"title":%q,"status":%q,"amount":%d,"created":"2024-01-02","ssn":%q,"pin":%q,"person":{"name":%q,"ssn":%q},`+
			`"lines":[{"sku":%q,"price":%d,"secret":%q},{"sku":"plain","price":5}],"labels":{"color":"red","secret":%q},`+
			`"raw":{"x":1,"ssn":%q},"loose":{"x":2,"y":%q,"ssn":%q}}`+"\n",
			tenant, title, status, amount, hidden, []string{"12", hidden}[variant], status, hidden, status, amount, hidden, hidden, hidden, status, hidden)
	}
	for i := range 4 {
		title := fmt.Sprintf("the own%d title", i)
		if i == 0 {
			title += " zebra"
		}
		add(fmt.Sprintf("a%d", i), "a", title, fmt.Sprintf("own%d", i), []string{"hidden%d", "hiddenandlong%d"}[variant], i+1)
	}
	for i := range 30 - 20*variant {
		title := []string{"the foreign title", "foreign zebr zebrb zeaa own1 a"}[variant]
		add(fmt.Sprintf("b%d", i), "b", title, fmt.Sprintf("foreign%d", i+variant), "hidden", 9_000_000+i+variant)
	}
	status, answer := attackRequest(t, url, "POST", "/"+name+"/_bulk?refresh=true", bulk.Bytes())
	if status != http.StatusOK || !bytes.Contains(answer, []byte(`"errors":false`)) {
		t.Fatalf("the documents: %d %.500s", status, answer)
	}
	_, answer = attackRequest(t, url, "GET", "/"+name+"/_mapping", nil)
	mapping, err := esquery.ParseMapping(answer)
	if err != nil {
		t.Fatal(err)
	}
	guard, err := esquery.NewValidator(map[string]*esquery.Mapping{name: mapping},
		&esquery.Options{Sensitive: leakSensitive, Filter: json.RawMessage(attackFilter)})
	if err != nil {
		t.Fatal(err)
	}
	return guard
}
