package qed

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/qedkit/qed/internal/schema"
)

// A Tool is a function that a model can call. Make one with [NewTool], or fill in
// the fields, for a tool of another system. A [Registry] calls it.
type Tool struct {
	Name        string // 1 to 64 letters, digits, underscores and dashes
	Description string // for the model: what it does, and when to use it

	// Input is the JSON Schema of the arguments, an object. Nil means no arguments.
	Input json.RawMessage

	// Output is the JSON Schema of the result. Nil means that it is not known. It
	// is for planners; results are not checked against it.
	Output json.RawMessage

	// Idempotent says that a call may be repeated, and made at the same time as
	// others. Most tools that only read are idempotent.
	Idempotent bool

	// Interrupts says that the tool may call [Interrupt]. In another tool, Interrupt
	// returns [ErrCannotInterrupt].
	Interrupts bool

	// NeedsApproval says that the user must approve each call before it is made.
	// The Draft of the question has the arguments, and its reply is a
	// [question.Approval]. Edited arguments are checked again. A rejected call
	// is the Err of its [ToolResult]. An approval also holds for a retry of the
	// same call after a failure. It is a property of the tool: an agent that is
	// a tool does not pass it on to the tools of its own registry.
	NeedsApproval bool

	// Nested says that the tool is an agent or asks one. A resumed run calls it
	// again even if it is not Idempotent, so its own calls must be recorded, as
	// those of agents are. Its text is not the answer of the turn: a [Token] of
	// [ChannelFinal] becomes one of [ChannelTool], and [RunInfo].Nested is set.
	Nested bool

	// Kind is the role of the tool in a plan. Empty means [ModelTool] if Interrupts
	// is set, and [FunctionTool] otherwise. Only a ModelTool may interrupt.
	Kind ToolKind

	// Language is the language of the queries that the tool runs, such as
	// "elasticsearch", "graphql" or "sql". Empty means that it runs no queries.
	Language string

	// Timeout limits each call. 0 means the limit of the registry.
	Timeout time.Duration

	// Call gets arguments that match Input and returns one JSON value. It must
	// watch its context. Its errors are shown to the model, and by planners to the
	// user, so they must not contain secrets.
	Call func(context.Context, json.RawMessage) (json.RawMessage, error)

	// Err is why the tool cannot be used: [Registry.Add] returns it. A function
	// that returns a Tool alone sets it for arguments that it cannot use.
	Err error

	checks bool // Call checks the arguments itself
}

// A ToolKind is the role of a [Tool] in a plan. A model that plans gets it.
type ToolKind string

const (
	CoreTool     ToolKind = "core"        // a building block, such as a model or a vector search
	ModelTool    ToolKind = "llm"         // it uses a model, and may interrupt the run
	FunctionTool ToolKind = "traditional" // it does one thing, and does not interrupt
	AnalysisTool ToolKind = "analysis"    // it computes something from rows
)

// AtMostOnce reports whether a call of t must not be repeated: t is neither
// Idempotent nor Nested. The calls of an agent are recorded one by one, so the
// agent itself may be called again.
func (t Tool) AtMostOnce() bool { return !t.Idempotent && !t.Nested }

func (k ToolKind) known() bool {
	return slices.Contains([]ToolKind{CoreTool, ModelTool, FunctionTool, AnalysisTool}, k)
}

func (t *Tool) kind() ToolKind {
	switch {
	case t.Kind != "":
		return t.Kind
	case t.Interrupts:
		return ModelTool
	}
	return FunctionTool
}

// NewTool returns a tool that calls fn. The schema of its arguments is made from
// In, a struct, and its tags json, jsonschema and jsonschema_description. A field
// without omitempty is required. Arguments that do not match the schema are an
// error that says what is wrong, so that the model can correct them.
//
// [Registry.Add] returns an error if fn is nil, or if no schema can be made from In.
func NewTool[In, Out any](name, description string, fn func(context.Context, In) (Out, error)) Tool {
	t := Tool{Name: name, Description: description, checks: true}
	if fn == nil {
		t.Err = fmt.Errorf("qed: tool %q: the function given to NewTool is nil", name)
		return t
	}
	in, err := schema.For[In]()
	if err != nil {
		t.Err = fmt.Errorf("qed: tool %q: %w", name, err)
		return t
	}
	t.Input = in.JSON()
	if out, err := schema.For[Out](); err == nil {
		t.Output = out.JSON()
	}
	t.Call = func(ctx context.Context, arguments json.RawMessage) (json.RawMessage, error) {
		args, err := in.Decode(arguments)
		if err != nil {
			return nil, fmt.Errorf("the arguments do not match the schema of %s: %w", name, err)
		}
		out, err := fn(ctx, args)
		if err != nil {
			return nil, err
		}
		return json.Marshal(out)
	}
	return t
}
