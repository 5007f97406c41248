package lint_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/chart/lint"
)

// TestFinishedSpec checks that a spec that Check returned is accepted with new rows, and
// does not change.
func TestFinishedSpec(t *testing.T) {
	c, rows := readCharts(t)
	for _, pair := range c.Pairs {
		t.Run(pair.Name, func(t *testing.T) {
			o := lint.Options{Kind: pair.Kind, Title: pair.Name, Language: "de"}
			first, err := lint.Check(t.Context(), pair.Good, rows, o)
			if err != nil {
				t.Fatal(err)
			}
			var spec map[string]any
			if err := json.Unmarshal(first.JSON, &spec); err != nil {
				t.Fatal(err)
			}
			for _, key := range []string{"data", "config"} {
				delete(spec, key)
			}
			text, err := json.Marshal(spec)
			if err != nil {
				t.Fatal(err)
			}
			again, err := lint.Check(t.Context(), text, rows, o)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(first.JSON), string(again.JSON)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestLook has what a reader sees of the charts of others.
func TestLook(t *testing.T) {
	rows := table(t, "order_month|margin_pct|n",
		[]any{"2025-01-01", 12.5, 1200}, []any{"2025-02-01", 8.0, 900}, []any{"2025-03-01", 30.0, 14})
	for name, tt := range map[string]struct {
		spec, language string
		want           map[string]any // by the path of keys
	}{
		"words": {`{"mark":"bar","encoding":{"x":{"field":"order_month","type":"nominal"},"y":{"field":"n","aggregate":"sum"}}}`, "",
			map[string]any{"/encoding/x/title": "Order month", "/encoding/y/title": "Sum of n", "/encoding/x/axis/labelAngle": 0.0,
				"/layer/1/encoding/text/aggregate": "sum", "/layer/1/encoding/text/format": ",.0f", "/width": 720.0, "/config/locale": nil}},
		"German": {`{"mark":"bar","encoding":{"y":{"field":"order_month","type":"nominal"},"x":{"field":"margin_pct","type":"quantitative"}}}`, "de-AT",
			map[string]any{"/encoding/x/title": "Margin %", "/config/locale/number/decimal": ",", "/layer/1/encoding/text/format": ",.2~f", "/height": 78.0}},
		"counts": {`{"mark":"bar","encoding":{"x":{"field":"n","type":"ordinal"},"y":{"aggregate":"count"}}}`, "de",
			map[string]any{"/encoding/y/title": "Anzahl der Zeilen", "/layer/0/mark/width/band": 0.27}},
		"titles of the author": {`{"mark":"line","encoding":{"x":{"field":"order_month","type":"temporal","axis":{"title":null}},"y":{"field":"n","type":"quantitative","title":"Orders"}}}`, "",
			map[string]any{"/encoding/y/title": "Orders", "/encoding/x/title": nil, "/layer": nil}},
		"parts have no end": {`{"mark":"bar","encoding":{"x":{"field":"order_month","type":"nominal"},"color":{"field":"n","type":"nominal"},"y":{"field":"margin_pct","type":"quantitative"}}}`, "",
			map[string]any{"/layer": nil, "/encoding/color/title": "N"}},
		"small charts keep their width": {`{"mark":"point","encoding":{"column":{"field":"n","type":"nominal"},"x":{"field":"margin_pct","type":"quantitative"}}}`, "",
			map[string]any{"/width": nil}},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := lint.Check(t.Context(), []byte(tt.spec), rows, lint.Options{Language: tt.language})
			if err != nil {
				t.Fatal(err)
			}
			for path, want := range tt.want {
				if got := at(t, s.JSON, path); got != want {
					t.Errorf("%s is %v, want %v", path, got, want)
				}
			}
		})
	}
}

// at returns the value at a JSON Pointer, or nil.
func at(t *testing.T, text []byte, path string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	for _, key := range strings.Split(path, "/")[1:] {
		switch o := v.(type) {
		case map[string]any:
			v = o[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i >= len(o) {
				return nil
			}
			v = o[i]
		default:
			return nil
		}
	}
	return v
}
