package toolagent

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/store"
)

// Options are the options of [New]. Nil and zero fields mean the defaults. A
// negative number is an error unless its field says what it means.
type Options struct {
	// Instructions are added to the system message: what the agent is for, and
	// how it should answer.
	Instructions string

	// Stop are the conditions that end the loop, next to the model's own decision
	// to call no tool. Without a [MaxSteps] among them, MaxSteps(20) applies.
	Stop []Stop

	// BeforeStep is called before each request to the model and may change it. In
	// a durable run it must be deterministic: a resumed run calls it again, and a
	// request that differs fails with [qed.ErrNondeterministic]. Use [qed.Now] for
	// the time and [qed.Step] for what can change. Its error ends the turn.
	BeforeStep func(ctx context.Context, step *StepRequest) error

	// AfterStep is called after the calls of each step, with all results so far. A
	// resumed run calls it again. Its error ends the turn.
	AfterStep func(ctx context.Context, p Progress) error

	// MaxResultBytes is the size from which the result of a call is shortened for
	// the model. 0 means 8 KiB. Events, the log and the answer are not affected.
	MaxResultBytes int

	// MaxContextTokens limits what one request sends, as [llm.EstimateTokens]
	// counts it. Above it, results of the oldest steps are replaced by digests.
	// The conversation before the question has a quarter of it at most, unless
	// Durable has a Memory. 0 means 120,000.
	MaxContextTokens int

	// Summarizer is a model that summarises old results, next to their digests.
	// Nil means no summaries.
	Summarizer llm.Model

	// Settings are how the agent calls its models.
	llm.Settings

	// Store saves the conversations, as [qed.Durable] does. Nil means that nothing
	// is saved, unless the agent runs within a durable run of another agent: then
	// it is part of that run.
	Store store.Store

	// Durable configures how conversations are saved. If its ParseReplies is nil,
	// the agent's model reads replies. Without a Store, Durable must be nil.
	Durable *qed.DurableOptions

	// Prompts replaces texts that are sent to the model. Nil means none.
	Prompts *Prompts

	// Texts replaces texts that users see, by language, such as "de". English and
	// German are built in.
	Texts map[string]Texts
}

const (
	defaultMaxSteps    = 20
	minResultBytes     = 512 // a shortened result has at least a column and a row
	maxCalls           = 16  // of one reply
	maxHistoryTokens   = 16_000
	maxSummaryWords    = 300
	maxErrorText       = 2000 // bytes of an error that the model gets
	maxDigestArguments = 300  // bytes
)

// withDefaults returns a copy of o in which every field is set.
func (o *Options) withDefaults() (Options, error) {
	var v Options
	if o != nil {
		v = *o
	}
	if err := cmp.Or(
		option.Default("toolagent: Options.MaxResultBytes", &v.MaxResultBytes, 8<<10),
		option.Default("toolagent: Options.MaxContextTokens", &v.MaxContextTokens, 120_000),
	); err != nil {
		return v, err
	}
	if v.MaxResultBytes < minResultBytes {
		return v, fmt.Errorf("toolagent: Options.MaxResultBytes is %d: it must be at least %d",
			v.MaxResultBytes, minResultBytes)
	}
	if v.Store == nil && v.Durable != nil {
		return v, errors.New("toolagent: Options.Durable needs Options.Store")
	}
	var err error
	if v.Stop, err = checkStops(v.Stop); err != nil {
		return v, err
	}
	v.Prompts, err = promptsOf(v.Prompts)
	return v, err
}

// promptsOf returns p with the defaults.
func promptsOf(p *Prompts) (*Prompts, error) {
	all, err := p.withDefaults()
	return &all, err
}
