package rag

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type searcherFunc func(q Query) []Hit

func (f searcherFunc) Search(_ context.Context, q Query) ([]Hit, error) { return f(q), nil }

// A Searcher that ignores the filter shows nobody what they may not read.
func TestSearcherIgnoresFilter(t *testing.T) {
	both := searcherFunc(func(Query) []Hit {
		return []Hit{{Chunk{Document: "a", Metadata: map[string]string{"team": "x"}}, 1}, {Chunk{Document: "b"}, 1}}
	})
	for name, tt := range map[string]struct {
		filter Filter
		ok     bool
	}{
		"everything":       {Filter{}, true},
		"both":             {Filter{Documents: []string{"b", "a"}}, true},
		"one":              {Filter{Documents: []string{"a"}}, false},
		"nothing":          {Filter{Documents: []string{}}, false},
		"metadata":         {Filter{Metadata: map[string][]string{"team": {"x"}}}, false},
		"no value allowed": {Filter{Metadata: map[string][]string{"team": nil}}, false},
	} {
		hits, err := search(t.Context(), both, Query{K: 5, Filter: tt.filter})
		if tt.ok != (err == nil) || !tt.ok && len(hits) > 0 {
			t.Errorf("%s: %d hits, %v", name, len(hits), err)
		}
	}
}

// Engines replace bytes that are not UTF-8, so that different texts become equal.
func TestOnlyUTF8(t *testing.T) {
	x, err := NewIndex(NewMemory(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		chunk Chunk
		ok    bool
	}{
		"text":              {Chunk{Document: "ä 作.md", Text: "word \ufffd 😀", Metadata: map[string]string{"": "", "k": "\u200b"}}, true},
		"name":              {Chunk{Document: "\xff.md", Text: "word"}, false},
		"contents":          {Chunk{Document: "b", Text: "word \xc3"}, false},
		"NUL":               {Chunk{Document: "c", Text: "word \x00"}, false},
		"heading":           {Chunk{Document: "d", Text: "word", Headings: []string{"\xfe"}}, false},
		"key of metadata":   {Chunk{Document: "e", Text: "word", Metadata: map[string]string{"\xfe": "x"}}, false},
		"value of metadata": {Chunk{Document: "f", Text: "word", Metadata: map[string]string{"x": "\x00"}}, false},
	} {
		if err := x.Put(t.Context(), []Chunk{tt.chunk}); tt.ok != (err == nil) || !tt.ok && !errors.Is(err, ErrNotUTF8) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, tt := range map[string]struct {
		filter Filter
		want   []string
		ok     bool
	}{
		"document":     {Filter{Documents: []string{"ä 作.md", "b"}}, []string{"ä 作.md"}, true},
		"an empty key": {Filter{Metadata: map[string][]string{"": {""}}}, []string{"ä 作.md"}, true},
		"a document":   {Filter{Documents: []string{"\xff.md"}}, nil, false},
		"a key":        {Filter{Metadata: map[string][]string{"\xff": {"x"}}}, nil, false},
		"a value":      {Filter{Metadata: map[string][]string{"k": {"a", "\xff"}}}, nil, false},
		"a NUL":        {Filter{Metadata: map[string][]string{"k": {"a\x00"}}}, nil, false},
	} {
		hits, err := x.Search(t.Context(), Query{Text: "word", K: 9, Filter: tt.filter})
		if tt.ok != (err == nil) || !tt.ok && !errors.Is(err, ErrNotUTF8) {
			t.Errorf("%s: %v", name, err)
		}
		var got []string
		for _, h := range hits {
			got = append(got, h.Chunk.Document)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}
