package qed

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/qedkit/qed/internal/schema"
)

// A Tool is something that a model can have done. Make one of a function with [NewTool], or fill it in, for a tool that lives
// elsewhere. A [Registry] calls it.
type Tool struct {
	Name        string // 1 to 64 letters, digits, underscores and dashes
	Description string // for the model: what it does, and when to use it

	// Input is the JSON Schema of the arguments, an object. Nil means that there are none.
	Input json.RawMessage

	// Repeat says that a call does no harm when it is made again, or at the same time as others: it only reads, mostly.
	Repeat bool

	// Asks says that the tool may ask the user something, by [Clarify]. Where others may not, an error says so.
	Asks bool

	// Timeout limits each call. 0 means the registry's.
	Timeout time.Duration

	// Call gets arguments that Input allows and returns one JSON value. It must watch its context.
	Call func(context.Context, json.RawMessage) (json.RawMessage, error)

	checks bool  // Call checks its arguments itself
	nested bool  // it is an agent: what is done in it is recorded for itself
	err    error // why NewTool failed: Add tells
}

// NewTool makes a tool of a function. The schema of its arguments comes from In, a struct, whose fields are described by the
// tags json, jsonschema and jsonschema_description; a field without omitempty is required. Call checks the arguments before
// it calls fn, and its error says what is wrong with them, so that the model can mend it.
//
// An In of which no schema can be made is reported by [Registry.Add].
func NewTool[In, Out any](name, description string, fn func(context.Context, In) (Out, error)) Tool {
	t := Tool{Name: name, Description: description, checks: true}
	in, err := schema.For[In]()
	if err != nil {
		t.err = fmt.Errorf("qed: tool %q: %w", name, err)
		return t
	}
	t.Input = in.JSON()
	t.Call = func(ctx context.Context, arguments json.RawMessage) (json.RawMessage, error) {
		args, err := in.Decode(arguments)
		if err != nil {
			return nil, fmt.Errorf("the arguments are not what %s takes: %w", name, err)
		}
		out, err := fn(ctx, args)
		if err != nil {
			return nil, err
		}
		return json.Marshal(out)
	}
	return t
}

// AsTool makes a tool of an agent. The model asks it a question and gets its [Answer]. The agent acts for the user and the
// company of the turn that calls it, without the conversation. It may ask him. The tokens of its answer are told on [ChannelTool].
func AsTool(name, description string, a Agent) Tool {
	type question struct {
		Question string `json:"question" jsonschema_description:"the question, complete in itself"`
	}
	t := NewTool(name, description, func(ctx context.Context, in question) (Answer, error) {
		sc := scopeOf(ctx)
		turn := Turn{Text: in.Question}
		if sc.turn != nil {
			turn.User, turn.Company = sc.turn.User, sc.turn.Company
		}
		f := *sc.frame
		f.tool = true
		return Ask(&scope{ctx, sc.path, &f, sc.place}, a, turn)
	})
	t.Asks, t.nested = true, true
	return t
}
