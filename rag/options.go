package rag

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/store"
)

// Options are the options of [New]. A nil Options and zero fields mean the
// defaults named at each field. A negative number is an error unless its field
// says what it means.
type Options struct {
	// TopK is the largest number of passages that the model is shown. 0 means 5;
	// the most is 100.
	TopK int
	// MinScore is the score that a hit must exceed to be shown to the model. 0
	// means that every relevant hit is. Which scores are good depends on the
	// Searcher and its Embedder.
	MinScore float64
	// Filter returns what the user of a turn may read. It is called before each
	// search, with the context of the turn. Its error ends the turn. Nil means that
	// every user may read everything.
	Filter func(ctx context.Context) (Filter, error)
	// MaxHistoryMessages limits how many earlier messages of the conversation
	// are used to rewrite a question. 0 means 50.
	MaxHistoryMessages int

	// Settings are how the agent calls its model.
	llm.Settings

	// Store saves the conversations, as [qed.Durable] does. Nil means that nothing
	// is saved, unless the agent runs within a durable run of another agent: then
	// it is part of that run.
	Store store.Store
	// Durable configures how conversations are saved. If its ParseReplies is nil,
	// the agent's model reads replies. Without a Store, Durable must be nil.
	Durable *qed.DurableOptions

	// Prompts has files that replace those of the same name in the folder prompts,
	// such as answer.tmpl. Begin with a copy. Everything that a user, a model or a document
	// wrote must go through the function quote, or the model could take it for
	// instructions. Nil means the agent's own.
	Prompts fs.FS
}

// maxTopK limits the number of chunks of one search.
const maxTopK = 100

func (o *Options) withDefaults() (Options, error) {
	v := option.Of(o)
	if err := cmp.Or(
		option.Default("rag: Options.TopK", &v.TopK, 5),
		atMost("rag: Options.TopK", v.TopK, maxTopK),
		checkMinScore("rag: Options.MinScore", v.MinScore),
		option.Default("rag: Options.MaxHistoryMessages", &v.MaxHistoryMessages, 50),
	); err != nil {
		return v, err
	}
	if v.Durable != nil && v.Store == nil {
		return v, errors.New("rag: Options.Durable needs Options.Store")
	}
	return v, nil
}

func atMost(name string, v, limit int) error {
	if v > limit {
		return fmt.Errorf("%s is %d: it cannot be larger than %d", name, v, limit)
	}
	return nil
}

func checkMinScore(name string, score float64) error {
	if score < 0 || math.IsNaN(score) {
		return fmt.Errorf("%s is %v: a score of zero already means that a chunk is not relevant", name, score)
	}
	return nil
}
