package integration_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/integration"
)

// Two tenants share an index, and some fields are hidden. No body may return a value or a
// count of the other tenant or of a hidden field. The other tenant has many documents, so
// that a wrong count is visible.
const (
	attackIndex   = "qed-attack"
	attackForeign = 60 // documents of the other tenant
	attackOwn     = 3
	foreignMark   = "foreign"
	hiddenMark    = "hidden"
	foreignNumber = 98_765_432
	hiddenNumber  = 12_345_678
)

var attackMapping = `{"mappings":{"properties":{
	"tenant":{"type":"keyword"},
	"title":{"type":"text","fields":{"raw":{"type":"keyword"}}},
	"status":{"type":"keyword"},
	"amount":{"type":"long"},
	"created":{"type":"date"},
	"place":{"type":"geo_point"},
	"address":{"type":"ip"},
	"ssn":{"type":"keyword","fields":{"text":{"type":"text"}},"copy_to":"everything"},
	"pin":{"type":"long"},
	"social":{"type":"alias","path":"ssn"},
	"everything":{"type":"text"},
	"person":{"properties":{"name":{"type":"keyword"},"ssn":{"type":"keyword"}}},
	"lines":{"type":"nested","properties":{
		"sku":{"type":"keyword"},"price":{"type":"long"},"secret":{"type":"keyword"},
		"parts":{"type":"nested","properties":{"code":{"type":"keyword"},"secret":{"type":"keyword"}}}}},
	"hint":{"type":"completion"},
	"raw":{"type":"object","enabled":false}%s
}}}`

var attackSensitive = []string{"ssn", "pin", "person.ssn", "lines.secret", "lines.parts.secret", "raw.ssn"}

func attackDocument(foreign bool, i int) string {
	tenant, word, n := "a", fmt.Sprintf("own%d", i), i+1
	if foreign {
		tenant, word, n = "b", fmt.Sprintf("%s%d", foreignMark, i), foreignNumber+i
	}
	return fmt.Sprintf(`{"tenant":%q,"title":%q,"status":%q,"amount":%d,"created":%q,"place":{"lat":%d,"lon":1},
		"address":%q,"ssn":"%s%d","pin":%d,"person":{"name":%q,"ssn":"%s"},
		"lines":[{"sku":%q,"price":%d,"secret":"%s","parts":[{"code":%q,"secret":"%s"}]}],
		"raw":{"ssn":"%s","x":1},"hint":"common","vector":[0.%d,1,1]}`,
		tenant, "the "+word+" title", word, n, map[bool]string{false: "2024-01-02", true: "2031-05-06"}[foreign], i%3+1,
		map[bool]string{false: "10.0.0.1", true: "99.9.9.9"}[foreign], hiddenMark, i, hiddenNumber, word, hiddenMark,
		word, n, hiddenMark, word, hiddenMark, hiddenMark, i%9+1)
}

// hostileBodies try to read other data. They are refused, or their answer contains none.
var hostileBodies = []string{
	// Empty bodies, and bodies that match all documents.
	``, `{}`, `{"query":{"match_all":{}}}`, `{"size":100}`, `{"size":100,"query":{"bool":{}}}`,
	`{"size":100,"query":{"bool":{"must_not":[{"term":{"tenant":"a"}}]}}}`,
	`{"size":100,"query":{"term":{"tenant":"b"}}}`,
	`{"size":100,"query":{"bool":{"should":[{"term":{"tenant":"b"}},{"match_all":{}}],"minimum_should_match":0}}}`,
	`{"size":100,"query":{"bool":{"filter":{"term":{"tenant":"b"}},"must_not":[]}}}`,
	`{"size":100,"query":{"constant_score":{"filter":{"term":{"tenant":"b"}}}}}`,
	`{"size":100,"query":{"match_all":{}},"query":{"match_none":{}}}`,
	`{"size":100,"query":{"boosting":{"positive":{"match_all":{}},"negative":{"term":{"tenant":"b"}},"negative_boost":0.1}}}`,
	`{"size":100,"query":{"dis_max":{"queries":[{"term":{"tenant":"b"}},{"match_all":{}}]}}}`,
	`{"size":100,"query":{"function_score":{"query":{"match_all":{}},"boost_mode":"replace","functions":[{"filter":{"term":{"tenant":"b"}},"weight":100}]}}}`,
	`{"size":100,"query":{"nested":{"path":"lines","query":{"match_all":{}},"inner_hits":{"size":100}}}}`,
	`{"size":100,"query":{"ids":{"values":["b0","b1","b2"]}}}`,
	`{"size":100,"query":{"pinned":{"ids":["b0"],"organic":{"match_all":{}}}}}`,
	`{"size":100,"query":{"query_string":{"query":"tenant:b OR ssn:hidden*"}}}`,
	`{"size":100,"query":{"simple_query_string":{"query":"hidden0 | foreign1"}}}`,
	`{"size":100,"query":{"simple_query_string":{"query":"hidden0","fields":["*"]}},"highlight":{"fields":{"*":{}},"require_field_match":false}}`,
	`{"size":100,"query":{"multi_match":{"query":"hidden0"}}}`,
	`{"size":100,"query":{"multi_match":{"query":"hidden0","fields":["s*"]}}}`,
	`{"size":100,"query":{"more_like_this":{"fields":["title"],"like":[{"_index":"qed-attack","_id":"b0"}],"min_term_freq":1,"min_doc_freq":1}}}`,
	`{"size":100,"query":{"terms":{"status":{"index":"qed-attack","id":"b0","path":"status"}}}}`,
	`{"size":100,"query":{"wrapper":{"query":"eyJtYXRjaF9hbGwiOnt9fQ=="}}}`,
	`{"size":100,"query":{"script":{"script":"true"}}}`,
	`{"size":100,"query":{"term":{"_index":"other"}}}`,
	`{"size":100,"indices_boost":[{"other":2}]}`,
	`{"size":100,"explain":true,"query":{"match":{"title":"title"}}}`,
	`{"size":100,"explain":"true","query":{"match":{"title":"title"}}}`,
	`{"size":100,"profile":true}`,
	`{"size":100,"post_filter":{"match_all":{}}}`,
	`{"size":100,"post_filter":{"term":{"tenant":"b"}}}`,
	`{"size":100,"min_score":0,"query":{"bool":{"should":[{"match_all":{}}]}}}`,
	`{"size":100,"rescore":{"window_size":100,"query":{"rescore_query":{"term":{"tenant":"b"}},"query_weight":0}}}`,
	`{"size":100,"collapse":{"field":"tenant","inner_hits":{"name":"g","size":50}}}`,
	`{"size":100,"collapse":{"field":"tenant","inner_hits":[{"name":"g","size":50,"_source":true},{"name":"h","_source":["ssn"],"fields":["status"]}]}}`,
	`{"size":100,"collapse":{"field":"status","inner_hits":{"name":"g","size":50,"collapse":{"field":"tenant"}}},"post_filter":{"match_all":{}}}`,
	`{"size":100,"collapse":{"field":"ssn"}}`,
	`{"size":100,"retriever":{"standard":{"query":{"match_all":{}}}}}`,
	`{"size":100,"pit":{"id":"x"}}`,
	`{"size":100,"slice":{"id":0,"max":2}}`,
	`{"size":100,"runtime_mappings":{"x":{"type":"keyword"}},"fields":["x"]}`,
	`{"size":100,"script_fields":{"x":{"script":"doc['ssn'].value"}}}`,
	`{"size":100,"ext":{"x":{}}}`,
	`{"suggest":{"s":{"text":"foreig1 hiden0","term":{"field":"title","suggest_mode":"always"}}}}`,
	`{"suggest":{"text":"foreign","s":{"phrase":{"field":"title"}}}}`,
	`{"suggest":{"s":{"prefix":"com","completion":{"field":"hint","size":100}}}}`,
	`{"_source":["ssn","person"],"suggest":{"s":{"prefix":"com","completion":{"field":"hint","size":100}}}}`,
	`{"_source":true,"stored_fields":["_source"],"suggest":{"s":{"prefix":"com","completion":{"field":"hint","size":100}}}}`,
	`{"suggest":{"s":{"text":"hiden0","term":{"field":"everything","suggest_mode":"always"}}}}`,

	// Forms that a model writes.
	`{"size":100,"query":{"nested":{"path":"lines","query":{"match_all":{}}}}}`,
	`{"size":100,"query":{"nested":{"path":"lines","query":{"exists":{"field":"lines.sku"}}}},"_source":["lines"]}`,
	`{"size":100,"query":{"bool":{"should":[{"match_all":{}},{"bool":{"must_not":[{"term":{"tenant":"a"}}]}}]}},"fields":["*"]}`,
	`{"size":100,"query":{"geo_distance":{"distance":"9000km","place":{"lat":1,"lon":1}}},"sort":[{"_geo_distance":{"place":{"lat":1,"lon":1}}}]}`,
	`{"size":100,"query":{"range":{"created":{"gte":"2030-01-01"}}},"sort":[{"amount":"desc"}]}`,
	`{"size":0,"aggs":{"m":{"multi_terms":{"terms":[{"field":"tenant"},{"field":"status"}]}}}}`,
	`{"size":0,"aggs":{"n":{"nested":{"path":"lines"},"aggs":{"r":{"reverse_nested":{},"aggs":{"t":{"terms":{"field":"tenant"}}}}}}}}`,
	`{"size":0,"aggs":{"f":{"filters":{"filters":{"b":{"term":{"tenant":"b"}}},"other_bucket":true},"aggs":{"s":{"terms":{"field":"status"}}}}}}`,
	`{"size":0,"aggs":{"w":{"weighted_avg":{"value":{"field":"amount"},"weight":{"field":"amount"}}}}}`,
	`{"size":0,"aggs":{"s":{"extended_stats":{"field":"amount"}},"p":{"percentiles":{"field":"amount"}}}}`,
	`{"size":0,"aggs":{"t":{"terms":{"field":"status"},"aggs":{"h":{"top_hits":{"size":5,"sort":[{"amount":"desc"}]}}}}}}`,
	`{"size":0,"aggs":{"d":{"date_histogram":{"field":"created","calendar_interval":"year"},"aggs":{"t":{"terms":{"field":"tenant"}}}}}}`,

	// Nearest neighbours are found next to the query.
	`{"size":100,"knn":{"field":"vector","query_vector":[1,1,1],"k":50,"num_candidates":100}}`,
	`{"size":100,"knn":[{"field":"vector","query_vector":[1,1,1],"k":50,"num_candidates":100},{"field":"vector","query_vector":[1,0,1],"k":50,"num_candidates":100,"filter":{"term":{"tenant":"b"}}}]}`,
	`{"size":100,"knn":{"field":"vector","query_vector":[1,1,1],"k":50,"num_candidates":100,"filter":[{"match_all":{}}]},"query":{"match_none":{}}}`,
	`{"size":100,"knn":{"field":"vector","query_vector":[1,1,1],"k":50,"num_candidates":100},"collapse":{"field":"tenant","inner_hits":{"name":"g","size":50}}}`,
	`{"size":100,"knn":{"field":"vector","query_vector":[1,1,1],"k":50,"num_candidates":100},"post_filter":{"match_all":{}},"collapse":{"field":"tenant","inner_hits":{"name":"g","size":50}}}`,
	`{"size":0,"knn":{"field":"vector","query_vector":[1,1,1],"k":50,"num_candidates":100},"aggs":{"x":{"terms":{"field":"tenant"}}}}`,
	`{"size":100,"query":{"knn":{"field":"vector","query_vector":[1,1,1],"k":50,"num_candidates":100}}}`,
	`{"size":100,"query":{"bool":{"should":[{"knn":{"field":"vector","query_vector":[1,1,1],"k":50,"num_candidates":100,"filter":{"term":{"tenant":"b"}}}}]}}}`,
	`{"size":100,"query":{"bool":{"must_not":[{"term":{"status":"x"}}]}},"knn":{"field":"vector","query_vector":[1,1,1],"k":50,"num_candidates":100,"boost":2}}`,

	// Aggregations.
	`{"size":0,"aggs":{"x":{"global":{},"aggs":{"y":{"terms":{"field":"status"}}}}}}`,
	`{"size":0,"aggs":{"x":{"terms":{"field":"status","min_doc_count":0,"size":100}}}}`,
	`{"size":0,"aggs":{"x":{"terms":{"field":"status","min_doc_count":"0","size":100}}}}`,
	`{"size":0,"aggs":{"x":{"terms":{"field":"title.raw","min_doc_count":0}}}}`,
	`{"size":0,"aggs":{"x":{"terms":{"field":"status","shard_min_doc_count":0,"size":100}}}}`,
	`{"size":0,"aggs":{"x":{"terms":{"field":"tenant","include":["a","b"],"missing":"b"}}}}`,
	`{"size":0,"aggs":{"n":{"nested":{"path":"lines"},"aggs":{"x":{"terms":{"field":"lines.sku","min_doc_count":0,"size":100}}}}}}`,
	`{"size":0,"aggs":{"x":{"significant_terms":{"field":"status","min_doc_count":1}}}}`,
	`{"size":0,"aggs":{"x":{"significant_terms":{"field":"status","min_doc_count":0,"size":100}}}}`,
	`{"size":0,"aggs":{"x":{"significant_terms":{"field":"tenant","min_doc_count":1,"background_filter":{"match_all":{}}}}}}`,
	`{"size":0,"aggs":{"x":{"significant_terms":{"field":"status","min_doc_count":1,"mutual_information":{"include_negatives":true,"background_is_superset":false}}}}}`,
	`{"size":0,"aggs":{"x":{"significant_text":{"field":"title","min_doc_count":1}}}}`,
	`{"size":0,"aggs":{"x":{"significant_text":{"field":"title","min_doc_count":1,"source_fields":["ssn"]}}}}`,
	`{"size":0,"aggs":{"x":{"significant_text":{"field":"title","min_doc_count":1,"source_fields":["s*"]}}}}`,
	`{"size":0,"aggs":{"n":{"nested":{"path":"lines"},"aggs":{"x":{"significant_terms":{"field":"lines.sku","min_doc_count":1}}}}}}`,
	`{"size":0,"aggs":{"x":{"filter":{"match_all":{}},"aggs":{"g":{"global":{}}}}}}`,
	`{"size":0,"aggs":{"x":{"filters":{"filters":{"b":{"term":{"tenant":"b"}}},"other_bucket":true}}}}`,
	`{"size":0,"aggs":{"x":{"missing":{"field":"status"}}}}`,
	`{"size":0,"aggs":{"x":{"max":{"field":"amount"}},"y":{"cardinality":{"field":"tenant"}},"z":{"value_count":{"field":"status"}}}}`,
	`{"size":0,"aggs":{"x":{"max":{"field":"pin"}}}}`,
	`{"size":0,"aggs":{"x":{"terms":{"field":"ssn"}}}}`, `{"size":0,"aggs":{"x":{"terms":{"field":"social"}}}}`,
	`{"size":0,"aggs":{"x":{"terms":{"field":"SSN"}}}}`, `{"size":0,"aggs":{"x":{"terms":{"field":"person.ssn"}}}}`,
	`{"size":0,"aggs":{"x":{"multi_terms":{"terms":[{"field":"ssn"},{"field":"status"}]}}}}`,
	`{"size":0,"aggs":{"x":{"composite":{"sources":[{"s":{"terms":{"field":"ssn"}}}]}}}}`,
	`{"size":0,"aggs":{"x":{"composite":{"size":100,"sources":[{"s":{"terms":{"field":"status","missing_bucket":true}}},{"t":{"terms":{"field":"tenant"}}}]}}}}`,
	`{"size":0,"aggs":{"x":{"rare_terms":{"field":"status"}}}}`,
	`{"size":0,"aggs":{"x":{"histogram":{"field":"amount","interval":1000000,"min_doc_count":0}}}}`,
	`{"size":0,"aggs":{"x":{"date_histogram":{"field":"created","calendar_interval":"year","min_doc_count":0}}}}`,
	`{"size":0,"aggs":{"x":{"top_hits":{"size":50}}}}`,
	`{"size":0,"aggs":{"x":{"top_hits":{"size":50,"_source":true}}}}`,
	`{"size":0,"aggs":{"x":{"top_hits":{"size":50,"_source":{"includes":["ssn","*"],"excludes":["title"]}}}}}`,
	`{"size":0,"aggs":{"x":{"top_hits":{"size":50,"_source":"*.ssn"}}}}`,
	`{"size":0,"aggs":{"x":{"top_hits":{"size":50,"sort":["ssn"],"docvalue_fields":["ssn"],"stored_fields":["_source"]}}}}`,
	`{"size":0,"aggs":{"n":{"nested":{"path":"lines"},"aggs":{"x":{"top_hits":{"size":50}},"r":{"reverse_nested":{},"aggs":{"y":{"top_hits":{"size":50}}}}}}}}`,
	`{"size":0,"aggs":{"n":{"nested":{"path":"lines"},"aggs":{"p":{"nested":{"path":"lines.parts"},"aggs":{"x":{"top_hits":{"size":50,"_source":["lines.parts.secret","secret","*"]}}}}}}}}`,
	`{"size":0,"aggs":{"x":{"top_metrics":{"metrics":{"field":"pin"},"sort":{"created":"desc"}}}}}`,
	`{"size":0,"aggs":{"x":{"children":{"type":"x"},"aggs":{"y":{"top_hits":{}}}}}}`,
	`{"size":0,"aggs":{"x":{"scripted_metric":{"map_script":"1"}}}}`,
	`{"size":0,"aggs":{"x":{"cardinality":{"field":"everything"}}}}`,
	`{"size":0,"aggs":{"x":{"sampler":{"shard_size":200},"aggs":{"y":{"terms":{"field":"tenant"}}}}}}`,
	`{"size":0,"aggs":{"x":{"adjacency_matrix":{"filters":{"a":{"match_all":{}},"b":{"term":{"tenant":"b"}}}}}}}`,
	`{"size":0,"aggs":{"x":{"geo_distance":{"field":"place","origin":"0,0","ranges":[{"to":1e9}]}},"y":{"ip_range":{"field":"address","ranges":[{"to":"255.0.0.0"}]}}}}`,

	// Hidden fields.
	`{"size":100,"_source":true}`, `{"size":100,"_source":"*"}`, `{"size":100,"_source":["*"]}`, `{"size":100,"_source":"ssn"}`,
	`{"size":100,"_source":["ssn","person*","lines*"]}`, `{"size":100,"_source":{"includes":["*"],"excludes":[]}}`,
	`{"size":100,"_source":{"include":["*"],"exclude":[]}}`, `{"size":100,"_source":{"excludes":"title"}}`,
	`{"size":100,"_source":["person","raw","lines","lines.parts"]}`, `{"size":100,"_source":["s?n","*ssn","**"]}`,
	`{"size":100,"_source":false,"fields":["*"]}`, `{"size":100,"_source":false,"fields":["person.*"]}`,
	`{"size":100,"_source":false,"fields":["lines.*"]}`, `{"size":100,"_source":false,"fields":["lines"]}`,
	`{"size":100,"_source":false,"fields":["person"]}`, `{"size":100,"_source":false,"fields":["s*"]}`,
	`{"size":100,"_source":false,"fields":["social"]}`, `{"size":100,"_source":false,"fields":["ssn.text"]}`,
	`{"size":100,"_source":false,"fields":[{"field":"raw.ssn","include_unmapped":true}]}`,
	`{"size":100,"_source":false,"fields":[{"field":"raw.*","include_unmapped":true}]}`,
	`{"size":100,"_source":false,"fields":[{"field":"raw","include_unmapped":true}]}`,
	`{"size":100,"_source":false,"fields":[{"field":"r*","include_unmapped":true}]}`,
	`{"size":100,"_source":false,"fields":["everything","_source","_ignored","_field_names"]}`,
	`{"size":100,"docvalue_fields":["ssn"]}`, `{"size":100,"docvalue_fields":["*ssn"]}`, `{"size":100,"docvalue_fields":[{"field":"person.s*"}]}`,
	`{"size":100,"docvalue_fields":["pin","social"]}`, `{"size":100,"stored_fields":["*"]}`, `{"size":100,"stored_fields":"_source"}`,
	`{"size":100,"stored_fields":["_source"],"_source":true}`, `{"size":100,"stored_fields":["_none_"]}`, `{"size":100,"stored_fields":[]}`,
	`{"size":100,"stored_fields":["status"]}`,
	`{"size":100,"query":{"term":{"ssn":"hidden0"}}}`, `{"size":100,"query":{"prefix":{"social":"hid"}}}`,
	`{"size":100,"query":{"exists":{"field":"ssn"}}}`, `{"size":100,"query":{"match":{"everything":"hidden0"}}}`,
	`{"size":100,"query":{"match":{"ssn.text":"hidden0"}},"highlight":{"fields":{"ssn.text":{}}}}`,
	`{"size":100,"query":{"match":{"title":"title"}},"highlight":{"fields":{"ssn":{"no_match_size":100}}}}`,
	`{"size":100,"query":{"match":{"title":"title"}},"highlight":{"fields":{"*":{"no_match_size":100}}}}`,
	`{"size":100,"query":{"match":{"title":"title"}},"highlight":{"fields":{"t*":{"highlight_query":{"match":{"ssn":"hidden0"}}}}}}`,
	`{"size":100,"query":{"match":{"title":"title"}},"highlight":{"fields":{"title":{"matched_fields":["ssn.text"]}}}}`,
	`{"size":100,"query":{"match":{"title":"title"}},"highlight":{"fields":[{"everything":{"no_match_size":100}}]}}`,
	`{"size":100,"sort":["ssn"]}`, `{"size":100,"sort":"ssn:asc"}`, `{"size":100,"sort":[{"pin":"desc"}]}`, `{"size":100,"sort":[{"social":{"order":"asc"}}]}`,
	`{"size":100,"sort":[{"lines.secret":{"nested":{"path":"lines"}}}]}`,
	`{"size":100,"sort":[{"lines.price":{"nested":{"path":"lines","filter":{"term":{"lines.secret":"hidden"}}}}}]}`,
	`{"size":100,"query":{"nested":{"path":"lines","query":{"match_all":{}},"inner_hits":{}}}}`,
	`{"size":100,"query":{"nested":{"path":"lines","query":{"match_all":{}},"inner_hits":{"_source":true}}}}`,
	`{"size":100,"query":{"nested":{"path":"lines","query":{"match_all":{}},"inner_hits":{"_source":["secret","lines.secret","*"]}}}}`,
	`{"size":100,"query":{"nested":{"path":"lines","query":{"match_all":{}},"inner_hits":{"_source":{"includes":"*","excludes":"sku"}}}}}`,
	`{"size":100,"query":{"nested":{"path":"lines","query":{"match_all":{}},"inner_hits":{"fields":["lines.*"],"docvalue_fields":["lines.s*"]}}}}`,
	`{"size":100,"query":{"nested":{"path":"lines","query":{"nested":{"path":"lines.parts","query":{"match_all":{}},"inner_hits":{"name":"p"}}},"inner_hits":{"name":"l"}}}}`,
	`{"size":100,"_source":false,"query":{"nested":{"path":"lines.parts","query":{"match_all":{}},"inner_hits":{"_source":"*secret"}}}}`,
	`{"size":100,"query":{"nested":{"path":"lines","query":{"term":{"lines.secret":"hidden"}}}}}`,
	`{"size":100,"query":{"combined_fields":{"query":"hidden0","fields":["ssn.text"]}}}`,
	`{"size":100,"query":{"distance_feature":{"field":"created","origin":"now","pivot":"7d"}},"explain":true}`,
}

// attackCount matches a number that only the other tenant's documents can cause.
var attackCount = regexp.MustCompile(`"(?:doc_count|bg_count|value|count|freq|sum_other_doc_count)":\s*(\d+)(?:\.0)?[,}]`)

// leaked returns the parts of an answer that are hidden or, with a tenant, belong to
// another one.
func leaked(answer []byte, tenant bool) string {
	text := strings.ToLower(string(answer))
	marks := []string{hiddenMark, fmt.Sprint(hiddenNumber)}
	if tenant {
		marks = append(marks, foreignMark, fmt.Sprint(foreignNumber/100), "9.876", "2031-05", "99.9.9.9", `"tenant":"b"`)
	}
	for _, mark := range marks {
		if i := strings.Index(text, mark); i >= 0 {
			return text[max(0, i-80):min(len(text), i+60)]
		}
	}
	if !tenant {
		return ""
	}
	for _, m := range attackCount.FindAllStringSubmatch(text, -1) {
		if len(m[1]) > 1 && m[1] >= "20" && len(m[1]) < 4 {
			return m[0]
		}
	}
	return ""
}

func TestSearchAttacksElasticsearch(t *testing.T) {
	attackSearch(t, integration.Elasticsearch(t), `,"vector":{"type":"dense_vector","dims":3,"index":true,"similarity":"l2_norm"}`)
}

func TestSearchAttacksOpenSearch(t *testing.T) {
	attackSearch(t, integration.OpenSearch(t), `,"vector":{"type":"float"}`)
}

func attackSearch(t *testing.T, url, vector string) {
	mapping := fillAttackIndex(t, url, fmt.Sprintf(attackMapping, vector))
	all, err := esquery.NewValidator(map[string]*esquery.Mapping{attackIndex: mapping}, &esquery.Options{Sensitive: attackSensitive})
	if err != nil {
		t.Fatal(err)
	}
	guard, err := all.Filtered(json.RawMessage(attackFilter))
	if err != nil {
		t.Fatal(err)
	}
	ran, reached := 0, 0
	for _, body := range hostileBodies {
		if naive := naivelyFiltered(body); naive != nil {
			status, answer := attackRequest(t, url, "POST", "/"+attackIndex+"/_search", naive)
			if status == http.StatusOK && leaked(answer, true) != "" {
				reached++
			}
		}
		if search, err := all.Check(attackIndex, []byte(body)).Search(); err == nil {
			_, answer := attackRequest(t, url, "POST", "/"+attackIndex+"/_search", search.Body())
			if what := leaked(answer, false); what != "" {
				t.Errorf("%s\nwithout a filter leaked: %s\nsent: %s", body, what, search.Body())
			}
		}
		search, err := guard.Check(attackIndex, []byte(body)).Search()
		if err != nil {
			continue
		}
		status, answer := attackRequest(t, url, "POST", "/"+attackIndex+"/_search", search.Body())
		if status != http.StatusOK {
			t.Logf("%s\nwas answered %d: %.300s", body, status, answer)
			continue
		}
		ran++
		if what := leaked(answer, true); what != "" {
			t.Errorf("%s\nleaked: %s\nsent: %s", body, what, search.Body())
		}
		countOwn(t, url, body, "/_count", search.Query(), "count")
		for _, probe := range search.Probes() {
			for _, s := range []*esquery.Search{probe.Search, probe.Without} {
				if s != nil {
					countOwn(t, url, body, "/_search", s.Body(), "value")
				}
			}
		}
	}
	t.Logf("of %d bodies %d were sent; with a filter around the query alone %d of them reach what is not theirs", len(hostileBodies), ran, reached)
	if ran < 40 || reached < 60 {
		t.Errorf("%d hostile bodies were sent, and %d are hostile indeed: that shows little", ran, reached)
	}
}

const attackFilter = `{"term":{"tenant":"a"}}`

// naivelyFiltered returns a body with the filter in its query only. It returns nil if the
// body is not a JSON object.
func naivelyFiltered(body string) []byte {
	var root map[string]any
	if json.Unmarshal([]byte(body), &root) != nil {
		return nil
	}
	clauses := map[string]any{"filter": []any{json.RawMessage(attackFilter)}}
	if q, ok := root["query"]; ok {
		clauses["must"] = []any{q}
	}
	root["query"] = map[string]any{"bool": clauses}
	text, err := json.Marshal(root)
	if err != nil {
		return nil
	}
	return text
}

// countOwn fails if a count is greater than the number of the tenant's own documents.
func countOwn(t *testing.T, url, of, path string, body []byte, key string) {
	t.Helper()
	status, answer := attackRequest(t, url, "POST", "/"+attackIndex+path, body)
	if status != http.StatusOK {
		t.Errorf("%s\n%s %s: %d %.300s", of, path, body, status, answer)
		return
	}
	var n int
	if _, rest, ok := strings.Cut(string(answer), `"`+key+`":`); ok {
		_, _ = fmt.Sscanf(rest, "%d", &n)
	}
	if n > attackOwn {
		t.Errorf("%s\n%s %s counts %d documents; the tenant has %d", of, path, body, n, attackOwn)
	}
}

func fillAttackIndex(t *testing.T, url, mapping string) *esquery.Mapping {
	t.Helper()
	attackRequest(t, url, "DELETE", "/"+attackIndex, nil)
	if status, answer := attackRequest(t, url, "PUT", "/"+attackIndex, []byte(mapping)); status != http.StatusOK {
		t.Fatalf("the index: %d %s", status, answer)
	}
	t.Cleanup(func() { attackRequest(t, url, "DELETE", "/"+attackIndex, nil) })
	var bulk bytes.Buffer
	add := func(id string, doc string) {
		doc = strings.Join(strings.Fields(doc), " ")
		fmt.Fprintf(&bulk, "{\"index\":{\"_id\":%q}}\n%s\n", id, doc)
	}
	for i := range attackOwn {
		add(fmt.Sprintf("a%d", i), attackDocument(false, i))
	}
	for i := range attackForeign {
		add(fmt.Sprintf("b%d", i), attackDocument(true, i))
	}
	status, answer := attackRequest(t, url, "POST", "/"+attackIndex+"/_bulk?refresh=true", bulk.Bytes())
	if status != http.StatusOK || !bytes.Contains(answer, []byte(`"errors":false`)) {
		t.Fatalf("the documents: %d %.500s", status, answer)
	}
	_, answer = attackRequest(t, url, "GET", "/"+attackIndex+"/_mapping", nil)
	parsed, err := esquery.ParseMapping(answer)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func attackRequest(t *testing.T, url, method, path string, body []byte) (int, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url+path, bytes.NewReader(body))
	if strings.HasPrefix(method, "DELETE") { // also after the test, when its context is done
		req, err = http.NewRequest(method, url+path, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	client := http.Client{Timeout: 30 * time.Second}
	resp, err := client.Do(req)
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
