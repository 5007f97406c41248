package rag

import (
	"errors"
	"fmt"
	"math"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/store"
)

// Options are the agent's limits and texts. A nil Options and zero fields mean
// the defaults named at each field; a negative number is an error where no
// meaning is given for it.
type Options struct {
	// Chunks is how many chunks an answer may rest on: 5.
	Chunks int
	// MinScore is above what score a chunk is shown to the model: 0. What score
	// says that a chunk is of use depends on the Searcher, and on its Embedder.
	MinScore float64
	// MaxChunkBytes is how much of a chunk the model is shown: 4000 bytes.
	MaxChunkBytes int
	// MaxHistoryMessages is how many earlier messages of the conversation a
	// question is rewritten with: 50, which is more than a [qed.Memory] tells by
	// default.
	MaxHistoryMessages int

	// Settings are how the agent calls its model.
	llm.Settings

	// Store keeps conversations, so that a turn can go on after a crash; nil:
	// nothing is kept. See [qed.Durable].
	Store store.Store
	// Durable says how Store keeps them; nil: as [qed.DurableOptions] says, with
	// a user's messages read as replies by the agent's model. It needs a Store.
	Durable *qed.DurableOptions

	// Prompts replaces texts sent to the model; nil: none.
	Prompts *Prompts
}

const (
	maxOption = 1 << 28
	maxChunks = 100
)

func (o *Options) withDefaults() (Options, error) {
	var v Options
	if o != nil {
		v = *o
	}
	if v.MinScore < 0 || math.IsNaN(v.MinScore) {
		return v, fmt.Errorf("rag: Options.MinScore is %v: a score of zero says already that a chunk is of no use", v.MinScore)
	}
	for _, f := range []struct {
		name        string
		value       *int
		usual, most int
	}{
		{"Chunks", &v.Chunks, 5, maxChunks},
		{"MaxChunkBytes", &v.MaxChunkBytes, 4000, maxOption},
		{"MaxHistoryMessages", &v.MaxHistoryMessages, 50, maxOption},
	} {
		if *f.value < 0 || *f.value > f.most {
			return v, fmt.Errorf("rag: Options.%s is %d: it lies between 0 and %d", f.name, *f.value, f.most)
		}
		if *f.value == 0 {
			*f.value = f.usual
		}
	}
	if v.Durable != nil && v.Store == nil {
		return v, errors.New("rag: Options.Durable says how conversations are kept, and there is no Options.Store")
	}
	var err error
	v.Prompts, err = v.Prompts.withDefaults()
	return v, err
}
