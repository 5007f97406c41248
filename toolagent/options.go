package toolagent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
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

	// MaxSteps is how often the model may reply in a turn. 0 means 20.
	MaxSteps int

	// Limits are what a turn may spend, within the budgets of its context. A tenth of
	// each limit is for the last request: see [budget.With]. A resumed run has the
	// whole time again. Zero fields do not limit it.
	Limits budget.Limits

	// BeforeStep is called before each request to the model. It may change the
	// ToolChoice of the request. A resumed run calls it again, and it must make the
	// same choice then. An error ends the turn. Nil means that nothing is called.
	BeforeStep func(ctx context.Context, req *StepRequest) error

	// AfterStep is called after the calls of a reply. A resumed run calls it again.
	// An error ends the turn. Nil means that nothing is called.
	AfterStep func(ctx context.Context, p Progress) error

	// MaxResultBytes is the size from which the result of a call is shortened for
	// the model. 0 means 8 KiB, and less if ContextTokens is less than about 11,000.
	// Events, the log and the answer are not affected.
	MaxResultBytes int

	// Settings are how the agent calls its models.
	llm.Settings

	// Store saves the conversations, as [qed.Durable] does. Nil means that nothing
	// is saved, unless the agent runs within a durable run of another agent: then
	// it is part of that run.
	Store store.Store

	// Durable configures how conversations are saved. If its ParseReplies is nil,
	// the agent's model reads replies. Without a Store, Durable must be nil.
	Durable *qed.DurableOptions

	// Prompts has files that replace those of the same name in the folder prompts,
	// such as wrap_up.tmpl. Begin with a copy. Everything that a user, a model
	// wrote must go through the function quote, or the model could take it for
	// instructions. Nil means the agent's own.
	Prompts fs.FS
}

// A StepRequest is a request to the model that is about to be made.
type StepRequest struct {
	Progress // before the step

	// ToolChoice says whether the model must call a tool. If its reply does not
	// follow it, the reply goes back to the model, as one that cannot be used does.
	// After two of these in a row the answer is partial.
	ToolChoice llm.ToolChoice
}

// A Progress describes a turn between its steps. A step is one reply of the model
// and the calls in it.
type Progress struct {
	Steps   int              // how often the model replied
	Results []qed.ToolResult // of all calls, oldest first
	Usage   llm.Usage        // of the turn
}

const (
	maxResultBytes     = 8 << 10 // by default
	minResultBytes     = 512     // a shortened result has at least a column and a row
	maxCalls           = 16      // of one reply
	maxHistoryTokens   = 16_000
	maxErrorText       = 2000 // bytes of an error that the model gets
	maxDigestArguments = 300  // bytes
)

// withDefaults returns a copy of o in which every field is set.
func (o *Options) withDefaults() (Options, error) {
	v := option.Of(o)
	if err := option.Default("toolagent: Options.MaxSteps", &v.MaxSteps, 20); err != nil {
		return v, err
	}
	if v.MaxResultBytes != 0 && v.MaxResultBytes < minResultBytes {
		return v, fmt.Errorf("toolagent: Options.MaxResultBytes is %d: it must be at least %d",
			v.MaxResultBytes, minResultBytes)
	}
	if v.Store == nil && v.Durable != nil {
		return v, errors.New("toolagent: Options.Durable needs Options.Store")
	}
	return v, nil
}
