package values_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/sqlagent/values"
)

// thesaurus is an embedder that knows two meanings.
type thesaurus struct {
	texts []string
	err   error
}

func (e *thesaurus) Embed(_ context.Context, texts []string) ([][]float32, error) {
	if e.err != nil {
		return nil, e.err
	}
	e.texts = append(e.texts, texts...)
	out := make([][]float32, len(texts))
	for i, text := range texts {
		out[i] = []float32{0, 0, 1, 0, 0, 0}
		text = strings.ToLower(text)
		if strings.HasPrefix(text, "which ") {
			out[i] = []float32{0, 0, 0, 0, 0, 1} // a question about nothing in particular
			for at, words := range map[int][]string{3: {"on hold", "paused", "suspended"}, 4: {"completed", "finished", "done with"}} {
				for _, w := range words {
					if strings.Contains(text, w) {
						out[i][at] = 9
					}
				}
			}
		}
		switch text {
		case "on hold", "paused", "suspended jobs":
			out[i] = []float32{1, 0, 0.1, 0, 0, 0}
		case "completed", "finished":
			out[i] = []float32{0, 1, 0.1, 0, 0, 0}
		case "acme", "globex", "initech", "umbrella":
			out[i] = []float32{0, 0, -1, 0, 0, 0}
		case "berlin", "münchen", "york", "new york", "active", "waiting for parts":
			out[i] = []float32{-1, -1, 0, 0, 0, 0}
		case "all", "in", "reparatur", "storno", "wartung":
			out[i] = []float32{-1, 0, -1, 0, 0, 0}
		}
	}
	return out, nil
}

var _ llm.Embedder = (*thesaurus)(nil)

func TestMeaning(t *testing.T) {
	db, guard, schema := shop(t)
	spelled := read(t, db, guard, schema, nil)
	e := &thesaurus{}
	d, err := spelled.WithMeaning(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"which orders are paused?":             "On hold meaning paused",
		"list the suspended jobs":              "On hold meaning suspended jobs",
		"which orders are we done with?":       "Completed meaning orders",
		"which Active orders are suspended?":   "Active exact Active",
		"which orders are finished or Active?": "Active exact Active; Completed meaning finished",
		"nothing else":                         "",
		"":                                     "",
	} {
		got, err := d.Search(t.Context(), values.Query{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, m := range got {
			lines = append(lines, m.Value+" "+string(m.How)+" "+m.Said)
		}
		if got := strings.Join(lines, "; "); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	if got, err := spelled.Search(t.Context(), values.Query{Text: "paused"}); err != nil || len(got) > 0 {
		t.Errorf("without an embedder: %v, %v", got, err)
	}

	// What was found by spelling stays if the embedder fails.
	e.err = errors.New("the embedder is down")
	got, err := d.Search(t.Context(), values.Query{Text: "actve or paused"})
	if !errors.Is(err, e.err) || len(got) != 1 || got[0].Value != "Active" {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := spelled.WithMeaning(t.Context(), e); !errors.Is(err, e.err) {
		t.Errorf("%v, want the embedder's error", err)
	}
}
