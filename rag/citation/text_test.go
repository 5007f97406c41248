package citation_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/rag/citation"
)

// fourSources have the keys that the tests cite.
var fourSources = []citation.Source{{Key: "c1aaaa"}, {Key: "c2bbbb"}, {Key: "c3cccc"}, {Key: "c4dddd"}}

// TestText has a text that cites in many ways.
func TestText(t *testing.T) {
	for name, tt := range map[string]struct {
		says string
		want citation.Result
	}{
		"none":               {"Yes.", citation.Result{Text: "Yes."}},
		"one":                {"Yes [c1aaaa].", citation.Result{Text: "Yes [1].", Cited: []int{0}}},
		"in another order":   {"Yes [c3cccc], no [c1aaaa], yes[c3cccc].", citation.Result{Text: "Yes [1], no [2], yes[1].", Cited: []int{2, 0}}},
		"several":            {"A [c4dddd][c2bbbb]. B [c2bbbb, c3cccc]; C [c1aaaa;c4dddd]", citation.Result{Text: "A [1][2]. B [2][3]; C [4][1]", Cited: []int{3, 1, 2, 0}}},
		"twice at once":      {"A [c1aaaa, c1aaaa].", citation.Result{Text: "A [1].", Cited: []int{0}}},
		"unknown":            {"A [c9zzzz]. B [7], c [c2bbbb], d [1-3].", citation.Result{Text: "A. B, c [1], d.", Cited: []int{1}, Unknown: []string{"c9zzzz", "7", "1-3"}}},
		"among ones that do": {"A [c9zzzz, c2bbbb, 99].", citation.Result{Text: "A [1].", Cited: []int{1}, Unknown: []string{"c9zzzz", "99"}}},
		"with words":         {"A [see c1aaaa, c2bbbb].", citation.Result{Text: "A [1].", Cited: []int{1}}},
		"no citations":       {"See [the manual](x), [ ], [x], [2024], [-1], [,,] and [] (1)", citation.Result{Text: "See [the manual](x), [ ], [x], [2024], [-1], [,,] and [] (1)"}},
		"in code":            {"Use `a[c9zzzz]` and ``b`[9]`` [c2bbbb].\n\n```\nc[7] [c1aaaa]\n````\nDone [8] [c3cccc].", citation.Result{Text: "Use `a[c9zzzz]` and ``b`[9]`` [1].\n\n```\nc[7] [c1aaaa]\n````\nDone [2].", Cited: []int{1, 2}, Unknown: []string{"8"}}},
		"a single backtick":  {"It's a ` [9].\n\nYes [9] [c2bbbb].", citation.Result{Text: "It's a ` [9].\n\nYes [1].", Cited: []int{1}, Unknown: []string{"9"}}},
		"cut off":            {"Yes [c1aaaa] and [c2bb", citation.Result{Text: "Yes [1] and [c2bb", Cited: []int{0}}},
		"brackets within":    {"[[c2bbbb]] [ c1aaaa ] [1[9]3] [[9]4] [9]", citation.Result{Text: "[[1]] [2] [1 3] [ 4]", Cited: []int{1, 0}, Unknown: []string{"9", "9", "9"}}},
		"at the beginnings":  {"[c2bbbb] says\n [9] no\n- [c1aaaa]", citation.Result{Text: "[1] says\n no\n- [2]", Cited: []int{1, 0}, Unknown: []string{"9"}}},
		"other scripts":      {"Größe [c2bbbb]，作業[9]。 [１]", citation.Result{Text: "Größe [1]，作業。 [１]", Cited: []int{1}, Unknown: []string{"9"}}},
		"very long":          {"a" + strings.Repeat(" ", 60) + "[1" + strings.Repeat("1", 300) + "]", citation.Result{Text: "a" + strings.Repeat(" ", 60) + "[1" + strings.Repeat("1", 300) + "]"}},
		"not in the sources": {" [none] They say nothing [c1aaaa].", citation.Result{None: true}},
		"partly":             {"It is so [c1aaaa]. Why, they do not say [none].", citation.Result{Text: "It is so [1]. Why, they do not say.", Cited: []int{0}}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{1, 2, 1000} { // bytes at a time
				var shown strings.Builder
				text := citation.NewText(fourSources, func(s string) { shown.WriteString(s) })
				for i := 0; i < len(tt.says); i += size {
					text.Write(tt.says[i:min(i+size, len(tt.says))])
				}
				got := text.Close()
				if diff := cmp.Diff(tt.want, got); diff != "" || shown.String() != got.Text {
					t.Errorf("in pieces of %d bytes, shown %q (-want +got)\n%s", size, shown.String(), diff)
				}
			}
		})
	}
}

func TestKey(t *testing.T) {
	seen := map[string]bool{}
	for i := range 1000 {
		key := citation.Key("manual.md", fmt.Sprint(i))
		if len(key) != 6 || key != citation.Key("manual.md", fmt.Sprint(i)) {
			t.Fatalf("the key is %q", key)
		}
		seen[key] = true
	}
	if len(seen) < 990 {
		t.Errorf("%d different keys of 1000", len(seen))
	}
	if citation.Key("a", "b") == citation.Key("ab") {
		t.Error("two keys are equal")
	}
}

// A key is in no text that the model sees besides.
func TestKeysAreNotForged(t *testing.T) {
	wanted := []string{citation.Key("a"), citation.Key("b"), citation.Key("a")}
	forged := wanted[0] + "] and [" + citation.Key(wanted[0]) + "]"
	for name, tt := range map[string]struct {
		texts []string
		same  bool // the second source keeps its key
	}{
		"honest":         {[]string{"x", forged, "x", "y", "z"}, true},
		"in a text":      {[]string{"x", forged, "x", "the fee is 0 [" + forged, "[" + wanted[1] + "]"}, false},
		"in a question":  {[]string{"is it [" + forged + "]?", "x", "y", "z"}, true},
		"without a text": {nil, true},
	} {
		keys := citation.Keys(wanted, tt.texts...)
		seen := map[string]bool{}
		for _, key := range keys {
			if seen[key] || strings.Contains(strings.Join(tt.texts, "\n"), key) {
				t.Errorf("%s: the key %s is forged", name, key)
			}
			seen[key] = true
		}
		if same := keys[1] == wanted[1]; len(keys) != 3 || same != tt.same {
			t.Errorf("%s: the keys are %s, wanted %s", name, keys, wanted)
		}
	}
}

func ExampleText() {
	sources := []citation.Source{{Key: citation.Key("orders.md", "7"), Text: "A cancelled order stays cancelled."}}
	text := citation.NewText(sources, func(s string) { fmt.Print(s) })
	text.Write("It stays cancelled [" + sources[0].Key + "], as all do [c0xxxx].")
	result := text.Close()
	fmt.Println()
	fmt.Println(result.Cited, result.Unknown)
	// Output:
	// It stays cancelled [1], as all do.
	// [0] [c0xxxx]
}
