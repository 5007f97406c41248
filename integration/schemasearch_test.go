package integration

import (
	"slices"
	"testing"

	"github.com/qedkit/qed/internal/corpora"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/sqlagent/schemasearch"
)

// BenchmarkTableSearch searches 1,000 tables for those of each twentieth question of the
// public corpus, by words alone and by words and a real embedding model. It reports the
// share of questions whose tables are all among the first 20 and the first 80.
func BenchmarkTableSearch(b *testing.B) {
	schema, name := corpora.Combined(b)
	if schema == nil {
		b.Skip("the public corpus is not on this machine")
	}
	questions := corpora.Questions(b)
	for _, by := range []struct {
		name     string
		embedder func() llm.Embedder
	}{
		{"words", func() llm.Embedder { return nil }},
		{"meaning", func() llm.Embedder { return embeddings(b) }},
	} {
		b.Run(by.name, func(b *testing.B) {
			index, err := schemasearch.New(b.Context(), schema, &schemasearch.Options{Embedder: by.embedder()})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				asked, in20, in80 := 0, 0, 0
				for i := 0; i < len(questions); i += 20 {
					q := questions[i]
					hits, err := index.Search(b.Context(), q.Question, 80)
					if err != nil {
						b.Fatal(err)
					}
					asked++
					worst := 0
					for _, t := range q.Tables {
						at := slices.IndexFunc(hits, func(h schemasearch.Hit) bool { return h.Table == name(q.DB, t) })
						if at < 0 {
							at = len(hits)
						}
						worst = max(worst, at)
					}
					if worst < 20 {
						in20++
					}
					if worst < 80 {
						in80++
					}
				}
				b.ReportMetric(float64(in20)/float64(asked), "found/20")
				b.ReportMetric(float64(in80)/float64(asked), "found/80")
			}
		})
	}
}
