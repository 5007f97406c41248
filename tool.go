package qed

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
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

	// Output is the JSON Schema of what Call returns. Nil means that nothing is known of it. It is for those who plan: nothing is checked by it.
	Output json.RawMessage

	// Repeat says that a call does no harm when it is made again, or at the same time as others: it only reads, mostly.
	Idempotent bool

	// Asks says that the tool may ask the user something, by [Interrupt]. Where others may not, an error says so.
	Interrupts bool

	// NeedsApproval says that the user approves each call before it is made. The
	// Draft of the question is what the tool is called with; an edited draft has
	// to be something that the tool takes. A rejected call fails.
	NeedsApproval bool

	// Kind says what part the tool plays in a plan. Empty means [FunctionTool], or [ModelTool] where it Asks. Only a ModelTool may ask.
	Kind ToolKind

	// Language is the query language that the tool runs queries of, such as "elasticsearch", "graphql" or "sql". Empty means that it
	// runs none.
	Language string

	// Timeout limits each call. 0 means the registry's.
	Timeout time.Duration

	// Call gets arguments that Input allows and returns one JSON value. It must watch its context. Its errors are for the model, and a
	// [todoagent.New] shows them to the user: they hold no secrets.
	Call func(context.Context, json.RawMessage) (json.RawMessage, error)

	checks bool  // Call checks its arguments itself
	nested bool  // it is an agent: what is done in it is recorded for itself
	err    error // why NewTool failed: Add tells
}

// InvalidTool returns a tool that [Registry.Add] refuses with err. Constructors
// that return a Tool alone use it for arguments that no tool can be made of.
func InvalidTool(name string, err error) Tool { return Tool{Name: name, err: err} }

// A ToolKind says what part a [Tool] plays in a plan: it is told to the model that plans. Only a ModelTool may ask the user.
type ToolKind string

const (
	CoreTool     ToolKind = "core"        // what other tools are made of: a model, embeddings, a vector search
	ModelTool    ToolKind = "llm"         // it uses a model, and may ask the user
	FunctionTool ToolKind = "traditional" // it does one thing, and asks nobody
	AnalysisTool ToolKind = "analysis"    // it computes something from rows
)

// AtMostOnce reports whether a call of t must not be made again. An agent's calls
// are recorded each for itself, so a call of the agent may be.
func (t Tool) AtMostOnce() bool { return !t.Idempotent && !t.nested }

// known reports whether k is one of them.
func (k ToolKind) known() bool {
	return slices.Contains([]ToolKind{CoreTool, ModelTool, FunctionTool, AnalysisTool}, k)
}

// kind returns t's Kind, or what an empty one means.
func (t *Tool) kind() ToolKind {
	switch {
	case t.Kind != "":
		return t.Kind
	case t.Interrupts:
		return ModelTool
	}
	return FunctionTool
}

// NewTool makes a tool of a function. The schema of its arguments comes from In, a struct, whose fields are described by the
// tags json, jsonschema and jsonschema_description; a field without omitempty is required. Call checks the arguments before
// it calls fn, and its error says what is wrong with them, so that the model can mend it.
//
// An In of which no schema can be made, and a nil fn, are reported by [Registry.Add].
func NewTool[In, Out any](name, description string, fn func(context.Context, In) (Out, error)) Tool {
	t := Tool{Name: name, Description: description, checks: true}
	if fn == nil {
		t.err = fmt.Errorf("qed: tool %q: NewTool needs a function", name)
		return t
	}
	in, err := schema.For[In]()
	if err != nil {
		t.err = fmt.Errorf("qed: tool %q: %w", name, err)
		return t
	}
	t.Input = in.JSON()
	if out, err := schema.For[Out](); err == nil {
		t.Output = out.JSON()
	}
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
