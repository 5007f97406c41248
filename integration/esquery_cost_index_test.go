package integration_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
)

const costIndex = "qed-cost"

// costMapping has a field of each kind whose values decide what a body costs.
const costMapping = `{"settings":{"number_of_shards":1,"number_of_replicas":0},"mappings":{"properties":{
	"key":{"type":"keyword"},"long":{"type":"keyword"},"group":{"type":"keyword"},
	"n":{"type":"long"},"i":{"type":"integer"},"x":{"type":"double"},"day":{"type":"date"},"flag":{"type":"boolean"},
	"span":{"type":"date_range"},"ages":{"type":"integer_range"},"prices":{"type":"double_range"},
	"ip":{"type":"ip"},"place":{"type":"geo_point"},"title":{"type":"text"},"body":{"type":"text"},
	"lines":{"type":"nested","properties":{"sku":{"type":"keyword"},"price":{"type":"double"},"at":{"type":"date"}}}
}}}`

// fillCostIndex fills an index with hostile documents: each has another key and
// another number, some numbers and dates are far from all others, some ranges cover
// all values or have no end, some texts are long, and some documents are nested.
func (e *searchEngine) fillCostIndex(t *testing.T, documents int) {
	t.Helper()
	e.must(t, http.MethodPut, "/"+costIndex, json.RawMessage(costMapping))
	r := rand.New(rand.NewPCG(16, 16))
	const batch = 2500
	for from := 0; from < documents; from += batch {
		var bulk bytes.Buffer
		for i := from; i < min(from+batch, documents); i++ {
			text, err := json.Marshal(costDocument(r, i))
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&bulk, "{\"index\":{\"_id\":\"%d\"}}\n%s\n", i, text)
		}
		status, answer := e.do(t, http.MethodPost, "/"+costIndex+"/_bulk", json.RawMessage(bulk.Bytes()))
		if status != http.StatusOK || bytes.Contains(answer, []byte(`"errors":true`)) {
			t.Fatalf("the documents: %d %.600s", status, answer)
		}
	}
	e.must(t, http.MethodPost, "/"+costIndex+"/_forcemerge?max_num_segments=1", nil)
	e.must(t, http.MethodPost, "/"+costIndex+"/_refresh", nil)
}

func costDocument(r *rand.Rand, i int) map[string]any {
	d := map[string]any{
		"key": fmt.Sprintf("key%06d-%x", i, r.Uint32()), "long": fmt.Sprintf("x%05d%s", i, strings.Repeat("y", 200)),
		"group": fmt.Sprintf("g%d", i%100), "flag": i%2 == 0,
		"n": r.IntN(1_000_000), "i": r.IntN(10_000), "x": r.Float64() * 1e6,
		"day":    fmt.Sprintf("%04d-%02d-%02dT%02d:%02d:00Z", 2015+r.IntN(11), 1+r.IntN(12), 1+r.IntN(28), r.IntN(24), r.IntN(60)),
		"span":   map[string]any{"gte": fmt.Sprintf("2024-01-%02d", 1+i%28), "lte": fmt.Sprintf("2024-02-%02d", 1+i%28)},
		"ages":   map[string]any{"gte": i % 50, "lte": i%50 + 20},
		"prices": map[string]any{"gte": i, "lte": float64(i) + 20.5},
		"ip":     fmt.Sprintf("%d.%d.%d.%d", r.IntN(256), r.IntN(256), r.IntN(256), r.IntN(256)),
		"place":  map[string]any{"lat": r.Float64()*160 - 80, "lon": r.Float64()*358 - 179},
		"title":  costText(r, 12),
	}
	if i%5 == 0 {
		var lines []any
		for range 10 {
			lines = append(lines, map[string]any{"sku": fmt.Sprintf("s%d", r.IntN(10_000)), "price": r.Float64() * 100,
				"at": fmt.Sprintf("%d-01-01", 1990+r.IntN(36))})
		}
		d["lines"] = lines
	}
	if i%25 == 0 {
		d["body"] = costText(r, 3000)
	}
	switch i % 10 { // every second range covers everything
	case 0, 2, 4, 6:
		d["span"] = map[string]any{"gte": "0001-01-01", "lte": "9999-12-31"}
		d["ages"] = map[string]any{"gte": -1 << 31, "lte": 1<<31 - 1}
		d["prices"] = map[string]any{"gte": -1e30, "lte": 1e30}
	case 8:
		d["span"], d["ages"] = map[string]any{"gte": "2020-01-01"}, map[string]any{"gte": 0}
	}
	switch i % 1000 {
	case 0:
		d["n"], d["i"], d["x"], d["day"] = 1<<62, 1<<31-1, 1e15, "9999-12-31"
	case 500:
		d["n"], d["i"], d["x"], d["day"] = -1<<62, -1<<31, -1e15, "0001-01-01"
	}
	return d
}

// costText returns a text of that many of 20,000 words.
func costText(r *rand.Rand, words int) string {
	var b strings.Builder
	for range words {
		fmt.Fprintf(&b, "w%d ", r.IntN(20_000))
	}
	return b.String()
}
