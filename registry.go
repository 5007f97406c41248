package qed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/qedkit/qed/internal/schema"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/refusal"
)

// RegistryOptions are limits of a [Registry]. Nil and zero fields mean the defaults.
type RegistryOptions struct {
	// Timeout limits a call of a tool that has no limit of its own. 0 means one minute.
	Timeout time.Duration

	// Grace is how long a tool may take to return once its context is done. 0 means five seconds.
	Grace time.Duration

	// MaxResult limits the JSON that a tool returns, in bytes. 0 means 64 KiB. More than that is an error for the model.
	MaxResult int

	// Approve is called before each call of a tool with NeedsApproval. It
	// returns the arguments to call the tool with, or an error that says why it
	// must not be called. It may [Interrupt] the run. Nil asks the user.
	Approve func(ctx context.Context, t Tool, arguments json.RawMessage) (json.RawMessage, error)
}

// A Registry holds the tools of a model and calls them. Add tools first; then it is safe for concurrent use.
type Registry struct {
	opt   RegistryOptions
	names []string // sorted
	tools map[string]registered
}

type registered struct {
	Tool
	input *schema.Validator // nil when the tool checks its arguments itself
}

// NewRegistry returns a registry without tools.
func NewRegistry(opt *RegistryOptions) *Registry {
	r := &Registry{tools: map[string]registered{}}
	if opt != nil {
		r.opt = *opt
	}
	if r.opt.Timeout <= 0 {
		r.opt.Timeout = time.Minute
	}
	if r.opt.Grace <= 0 {
		r.opt.Grace = 5 * time.Second
	}
	if r.opt.MaxResult <= 0 {
		r.opt.MaxResult = 64 << 10
	}
	return r
}

var toolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// Add adds tools. It refuses a name that is taken or that providers do not take, a schema that is none or leads back to itself, a
// Kind that there is none of, and a tool without Call. It reports all that is wrong, and then adds none.
func (r *Registry) Add(tools ...Tool) error {
	var problems []error
	fresh := map[string]registered{}
	for _, t := range tools {
		_, twice := fresh[t.Name]
		_, taken := r.tools[t.Name]
		input, err := inputRule(t)
		switch {
		case t.err != nil:
			problems = append(problems, t.err)
		case !toolName.MatchString(t.Name):
			problems = append(problems, fmt.Errorf("qed: tool %q: a name is 1 to 64 letters, digits, underscores and dashes", t.Name))
		case twice || taken:
			problems = append(problems, fmt.Errorf("qed: tool %q: there is another one of that name", t.Name))
		case !t.kind().known():
			problems = append(problems, fmt.Errorf("qed: tool %q: there is no kind %q of tools: take one of the ToolKinds, or leave it empty", t.Name, t.Kind))
		case t.Interrupts && t.kind() != ModelTool:
			problems = append(problems, fmt.Errorf("qed: tool %q: a tool of kind %q may not ask: either it is an llm tool or its Asks is false", t.Name, t.Kind))
		case t.Call == nil:
			problems = append(problems, fmt.Errorf("qed: tool %q has no Call", t.Name))
		case err != nil:
			problems = append(problems, fmt.Errorf("qed: tool %q: its input: %w", t.Name, err))
		}
		t.Kind = t.kind()
		fresh[t.Name] = registered{t, input}
	}
	if len(problems) > 0 {
		return errors.Join(problems...)
	}
	for name, t := range fresh {
		r.tools[name] = t
		r.names = append(r.names, name)
	}
	slices.Sort(r.names)
	return nil
}

// noInput is the schema of a tool that takes no arguments.
var noInput = json.RawMessage(`{"type":"object","additionalProperties":false}`)

func inputRule(t Tool) (*schema.Validator, error) {
	switch {
	case t.checks:
		return nil, nil
	case t.Input == nil:
		return schema.Compile(noInput)
	}
	return schema.Compile(t.Input)
}

// Specs returns what a model is told of the tools, sorted by name.
func (r *Registry) Specs() []llm.Tool {
	specs := make([]llm.Tool, len(r.names))
	for i, name := range r.names {
		t := r.tools[name]
		specs[i] = llm.Tool{Name: name, Description: t.Description, InputSchema: t.Input}
	}
	return specs
}

// Names returns the names of the tools, sorted.
func (r *Registry) Names() []string { return slices.Clone(r.names) }

// Lookup returns the tool of a name. Its Kind is never empty. The error for a
// name that there is none of lists the names that there are.
func (r *Registry) Lookup(name string) (Tool, error) {
	t, ok := r.tools[name]
	if !ok {
		return Tool{}, r.unknown(name)
	}
	return t.Tool, nil
}

// A ToolResult is what became of a call. Either Output is one JSON value, or Err says what went wrong, in words that the
// model may read.
type ToolResult struct {
	Call   llm.ToolCall
	Output json.RawMessage
	Err    error
}

// maxErrorText is how much of an error a model gets to read, in bytes.
const maxErrorText = 2000

// Message returns the result as the model gets it.
func (r ToolResult) Message() llm.Message {
	text := string(r.Output)
	if r.Err != nil {
		text = "error: " + r.Err.Error()
		if len(text) > maxErrorText {
			text = strings.ToValidUTF8(text[:maxErrorText], "") + "..."
		}
	}
	return llm.Message{Role: llm.RoleTool, ToolCallID: r.Call.ID, Content: text}
}

// Do makes the calls and returns their results in the same order. When all of the tools may be repeated, up to eight run at the
// same time; otherwise they run one after the other.
//
// What a model can mend is the Err of a result: a tool that does not exist, wrong arguments, a failure, a panic, a result
// that is too large, a call that took too long. Do's own error ends the turn: ctx is done, a tool did not return
// within its time and the grace ([ErrToolAbandoned]), so that nobody knows what it still does, it asks the user ([ErrInterrupted]), the budget
// has no call left ([ErrBudget]), or, in a run that goes on, nobody knows what became of a call that must not be repeated ([ErrUnresolved]).
//
// In a durable run a call is recorded: as by [Step] where the tool may be repeated, and by [StepOnce] where it must not. So call Do, like
// these, on the node's own goroutine, or in [Each].
func (r *Registry) Do(ctx context.Context, calls ...llm.ToolCall) ([]ToolResult, error) {
	limit := eachLimit
	for _, call := range calls {
		if t, ok := r.tools[call.Name]; ok && !t.Idempotent {
			limit = 1
		}
	}
	sc := scopeOf(ctx)
	var address string
	if sc.place != nil {
		address = sc.place.next(":do") + "/"
	}
	return together(ctx, len(calls), limit, func(ctx context.Context, i int, out *ToolResult) error {
		own := &scope{ctx, sc.path, sc.frame, nil}
		if sc.place != nil {
			// By position: the ids are the provider's, and others when it is asked again.
			own = sc.beside(ctx, "", address+strconv.Itoa(i))
		}
		result, err := r.do(own, calls[i])
		*out = result
		return err
	})
}

func (r *Registry) do(sc *scope, call llm.ToolCall) (ToolResult, error) {
	t, arguments, err := r.find(call)
	if err == nil {
		if arguments, err = r.approve(sc, &t, arguments); err != nil && endsTurn(err) {
			return ToolResult{}, err
		}
		call.Arguments = arguments
	}
	make := func(ctx context.Context) (json.RawMessage, error) {
		return told(ctx, call, func() (json.RawMessage, error) {
			if err != nil {
				return nil, err
			}
			return r.call(ctx, t, arguments)
		})
	}
	var output json.RawMessage
	switch {
	case err != nil:
		output, err = make(sc)
	case sc.place == nil:
		if err = Spend(sc, Limits{ToolCalls: 1}); err == nil {
			output, err = make(sc)
		}
	default:
		output, err = recorded(sc, sc, recording{
			name: t.Name, address: ":call", in: toolInput{t.Name, arguments}, once: !t.Idempotent && !t.nested,
			pay: func() error { return Spend(sc, Limits{ToolCalls: 1}) },
		}, make)
	}
	if failed, ok := err.(*CallError); ok {
		err = toolError{failed}
	}
	if err != nil && endsTurn(err) {
		return ToolResult{}, err
	}
	if done := cancelled(sc); err != nil && done != nil {
		return ToolResult{}, fmt.Errorf("qed: tool %s: %w", call.Name, done)
	}
	return ToolResult{call, output, err}, nil
}

// A toolInput is what a call is recognised by: its address says nothing of the tool.
type toolInput struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// A toolError is a recorded failure as a model reads it: without the tool's name, which it knows.
type toolError struct{ *CallError }

func (e toolError) Error() string { return e.Message }

// told makes a call and tells of it.
func told(ctx context.Context, call llm.ToolCall, make func() (json.RawMessage, error)) (json.RawMessage, error) {
	start := time.Now()
	Emit(ctx, ToolStarted{Tool: call.Name, ID: call.ID, Arguments: validJSON(call.Arguments)})
	output, err := make()
	finished := ToolFinished{Tool: call.Name, ID: call.ID, Millis: time.Since(start).Milliseconds()}
	switch {
	case errors.Is(err, ErrInterrupted):
		finished.Interrupted = true
	case err != nil:
		finished.Error = err.Error()
	}
	Emit(ctx, finished)
	return output, err
}

// validJSON returns raw, or as a JSON string what is no JSON: an event with it could not be written.
func validJSON(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || json.Valid(raw) {
		return raw
	}
	text, _ := json.Marshal(string(raw)) // a string cannot fail
	return text
}

// find returns the tool of a call, and the arguments as it gets them.
func (r *Registry) find(call llm.ToolCall) (Tool, json.RawMessage, error) {
	t, ok := r.tools[call.Name]
	if !ok {
		return Tool{}, nil, r.unknown(call.Name)
	}
	arguments := call.Arguments
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	if t.input == nil {
		return t.Tool, arguments, nil
	}
	clean, err := t.check(arguments)
	return t.Tool, clean, err
}

// check returns arguments as the tool takes them.
func (t registered) check(arguments json.RawMessage) (json.RawMessage, error) {
	input := t.input
	if input == nil { // NewTool's Call checks them again
		var err error
		if input, err = schema.Compile(t.Input); err != nil {
			return nil, err
		}
	}
	clean, err := input.Normalize(arguments)
	if err != nil {
		return nil, fmt.Errorf("the arguments are not what %s takes: %w", t.Name, err)
	}
	return clean, nil
}

// call returns what the tool returns, if that can be shown to a model.
func (r *Registry) call(ctx context.Context, t Tool, arguments json.RawMessage) (json.RawMessage, error) {
	output, err := r.wait(ctx, t, arguments)
	switch {
	case err != nil && !t.Idempotent && !t.nested && errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil && !errors.Is(err, ErrToolAbandoned):
		return nil, fmt.Errorf("%w; whether it did its work is not known, so do not call it again, and tell the user", err)
	case err != nil:
		return nil, err
	case len(output) > r.opt.MaxResult:
		return nil, fmt.Errorf("the result of %s is too large: %d bytes, and at most %d are allowed; ask for less", t.Name, len(output), r.opt.MaxResult)
	case !json.Valid(output):
		return nil, fmt.Errorf("the result of %s is no JSON", t.Name)
	}
	return output, nil
}

// wait calls a tool on a goroutine of its own, as a tool that does not watch its context cannot be stopped, only left alone.
func (r *Registry) wait(ctx context.Context, t Tool, arguments json.RawMessage) (json.RawMessage, error) {
	limit := r.opt.Timeout
	if t.Timeout > 0 {
		limit = t.Timeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, &timeoutError{limit})
	defer cancel()
	type result struct {
		output json.RawMessage
		err    error
	}
	done := make(chan result, 1)
	go func() {
		res := result{err: errGoexit}
		defer func() { done <- res }()
		sc := scopeOf(ctx)
		res.err = do(sc.enter(ctx, t.Name, sc.place.of(t)), t.Call, &arguments, &res.output)
	}()
	var res result
	select {
	case res = <-done:
	case <-ctx.Done():
		grace := time.NewTimer(r.opt.Grace)
		defer grace.Stop()
		select {
		case res = <-done:
		case <-grace.C:
			return nil, fmt.Errorf("%w: tool %s did not return: %w", ErrToolAbandoned, t.Name, cancelled(ctx))
		}
	}
	if isPanic(res.err) {
		return nil, fmt.Errorf("tool %s: %w", t.Name, res.err)
	}
	if res.err != nil {
		return nil, withCause(ctx, res.err)
	}
	return res.output, nil
}

// unknown is the error for a tool that does not exist. The name is the model's own.
func (r *Registry) unknown(name string) error {
	if len(r.names) == 0 {
		return errors.New("there are no tools")
	}
	hint := "."
	if near := refusal.Nearest(name, r.names, 1); len(near) > 0 {
		hint = fmt.Sprintf("; did you mean %s?", near[0])
	}
	if len(name) > 64 {
		name = strings.ToValidUTF8(name[:64], "") + "..."
	}
	return fmt.Errorf("there is no tool %q%s The tools are %s", name, hint, strings.Join(r.names, ", "))
}
