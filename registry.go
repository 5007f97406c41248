package qed

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/schema"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/refusal"
)

// RegistryOptions are options of [NewRegistry]. Nil and zero fields mean the
// defaults.
type RegistryOptions struct {
	// Timeout limits the calls of tools without a Timeout. 0 means one minute.
	Timeout time.Duration

	// Grace is how long a tool may take to return after its context is done. 0
	// means five seconds.
	Grace time.Duration

	// MaxResult limits the JSON that a tool returns, in bytes. A larger result is
	// an error for the model. 0 means 64 KiB.
	MaxResult int

	// Approve is called before each call of a tool with NeedsApproval. It
	// returns the arguments to call the tool with, or an error that says why it
	// must not be called. It may [Interrupt] the run. Nil asks the user.
	Approve func(ctx context.Context, t Tool, arguments json.RawMessage) (json.RawMessage, error)
}

// A Registry has the tools of a model and calls them. It is safe for concurrent use
// once all tools are added.
type Registry struct {
	opt   RegistryOptions
	names []string // sorted
	tools map[string]*registered
	err   error // of the tools of NewRegistry
}

type registered struct {
	Tool
	input *schema.Validator // nil if only the tool checks its arguments
}

// NewRegistry returns a registry with the tools. If [Registry.Add] would refuse one of
// them, the registry has none: Err returns the reason, as do Do and the constructors
// that take a registry. Nil options mean the defaults.
func NewRegistry(opt *RegistryOptions, tools ...Tool) *Registry {
	r := &Registry{opt: option.Of(opt), tools: map[string]*registered{}}
	r.opt.Timeout = cmp.Or(max(r.opt.Timeout, 0), time.Minute)
	r.opt.Grace = cmp.Or(max(r.opt.Grace, 0), 5*time.Second)
	r.opt.MaxResult = cmp.Or(max(r.opt.MaxResult, 0), 64<<10)
	r.err = r.Add(tools...)
	return r
}

// Err returns why the tools that [NewRegistry] was given cannot be used, or nil.
func (r *Registry) Err() error { return r.err }

var toolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// Add adds tools. It returns an error, which has all problems, and adds none of the
// tools, if one of them has [Tool].Err, a name that is taken or that providers do
// not accept, a schema that is invalid or recursive, an unknown Kind, a Kind
// other than [ModelTool] with Interrupts, or no Call.
func (r *Registry) Add(tools ...Tool) error {
	var problems []error
	fresh := map[string]*registered{}
	for _, t := range tools {
		_, twice := fresh[t.Name]
		_, taken := r.tools[t.Name]
		input, err := inputRule(t)
		problem := func(format string, args ...any) {
			problems = append(problems, fmt.Errorf("qed: tool %q: "+format, append([]any{t.Name}, args...)...))
		}
		switch {
		case t.Err != nil:
			problems = append(problems, t.Err)
		case !toolName.MatchString(t.Name):
			problem("a name must have 1 to 64 letters, digits, underscores and dashes")
		case twice || taken:
			problem("another tool has this name; choose a different one")
		case !t.kind().known():
			problem("there is no tool kind %q; use one of the constants of type ToolKind, or leave it empty", t.Kind)
		case t.Interrupts && t.kind() != ModelTool:
			problem("a tool of kind %q may not interrupt the run; use ModelTool, or set Interrupts to false", t.Kind)
		case t.Call == nil:
			problem("it has no Call; set one, or make the tool with NewTool")
		case err != nil:
			problem("its Input: %w", err)
		}
		t.Kind = t.kind()
		fresh[t.Name] = &registered{t, input}
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

// noInput is the schema of a tool without arguments.
var noInput = json.RawMessage(`{"type":"object","additionalProperties":false}`)

func inputRule(t Tool) (*schema.Validator, error) {
	switch {
	case t.checks && !t.NeedsApproval:
		return nil, nil
	case t.Input == nil:
		return schema.Compile(noInput)
	}
	return schema.Compile(t.Input)
}

// Specs returns the tools for a request to a model, sorted by name.
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

// Lookup returns the tool with the given name. Its Kind is not empty. The error for
// an unknown name lists the names of the tools.
func (r *Registry) Lookup(name string) (Tool, error) {
	t, ok := r.tools[name]
	if !ok {
		return Tool{}, r.unknown(name)
	}
	return t.Tool, nil
}

// A ToolResult is the result of a call. Output is one JSON value, or Err says what
// went wrong, in words for the model.
type ToolResult struct {
	Call   llm.ToolCall
	Output json.RawMessage
	Err    error
}

// Failed reports whether the call failed: with an Err, or with an Output whose member
// "success" is false and which says why, as a record with such a column does not. code is
// the member "code" of such an Output, if it is a text.
func (r ToolResult) Failed() (code string, failed bool) {
	var said struct {
		Success, Error, Errors, Message json.RawMessage

		Code string
	}
	if bytes.Contains(r.Output, []byte(`"success"`)) {
		_ = json.Unmarshal(r.Output, &said) // members of other types are no such members
	}
	if string(said.Success) != "false" || said.Code == "" && len(said.Error)+len(said.Errors)+len(said.Message) == 0 {
		return "", r.Err != nil
	}
	return prompt.Clip(said.Code, maxErrorText), true
}

// maxErrorText is how many bytes of an error the model gets.
const maxErrorText = 2000

// Message returns the result as a message for the model.
func (r ToolResult) Message() llm.Message {
	text := string(r.Output)
	if r.Err != nil {
		text = prompt.Clip("error: "+r.Err.Error(), maxErrorText)
	}
	return llm.Message{Role: llm.RoleTool, ToolCallID: r.Call.ID, Content: text}
}

// Do makes the calls and returns their results in the same order. If all of the
// tools are Idempotent, up to eight calls run at the same time; otherwise they run
// one after the other.
//
// An error that the model can correct is the Err of a result: an unknown tool,
// wrong arguments, a failure, a panic, a result that is too large, or a call that
// took too long. The error of Do itself ends the turn. It is the error of ctx, or
// it matches
//
//   - [ErrInterrupted]: a tool interrupted the run;
//   - [budget.ErrExceeded]: the budget is used up. Do then returns the results as
//     well, and those of calls that the budget prevented or ended have this Err;
//   - [ErrToolAbandoned]: a tool did not return in time;
//   - [ErrUnresolved]: in a resumed run, the outcome of an at-most-once call is not
//     known.
//
// In a durable run, calls are recorded as by [StepOnce] if [Tool.AtMostOnce]
// reports true, and as by [Step] otherwise. So call Do, like these, on the
// goroutine of the node, or in [Each].
func (r *Registry) Do(ctx context.Context, calls ...llm.ToolCall) ([]ToolResult, error) {
	if r.err != nil {
		return nil, r.err
	}
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
	results := make([]ToolResult, len(calls))
	for i, call := range calls {
		results[i].Call = call
	}
	err := together(ctx, len(calls), limit, func(ctx context.Context, i int) error {
		// By position: the ids are the provider's, and differ if the model is called
		// again.
		result, err := r.do(sc.parallel(ctx, "", address+strconv.Itoa(i)), calls[i])
		if overBudget(err) {
			result, err = ToolResult{Call: calls[i], Err: err}, nil // the other calls go on
		}
		results[i] = result
		return err
	})
	if err != nil && !overBudget(err) {
		return nil, err
	}
	for i := range results {
		switch r := &results[i]; {
		case r.Output == nil && r.Err == nil:
			r.Err = err // the time was over before the call
		case overBudget(r.Err):
			err = r.Err
		}
	}
	return results, err
}

// overBudget reports whether a call ended because the budget is used up.
func overBudget(err error) bool {
	return errors.Is(err, budget.ErrExceeded) && !errors.Is(err, ErrToolAbandoned)
}

func (r *Registry) do(sc *scope, call llm.ToolCall) (ToolResult, error) {
	t, arguments, err := r.find(call)
	if err == nil {
		if arguments, err = r.approve(sc, t, arguments); err != nil && endsTurn(err) {
			return ToolResult{}, err
		}
		call.Arguments = arguments
	}
	var output json.RawMessage
	switch {
	case err != nil:
		output, err = r.observed(sc, t, call, err)
	case sc.place == nil:
		if err = budget.Spend(sc, oneToolCall); err == nil {
			output, err = r.observed(sc, t, call, nil)
		}
	default:
		output, err = r.recorded(sc, t, call)
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

// recorded makes a call within a durable run.
func (r *Registry) recorded(sc *scope, t *registered, call llm.ToolCall) (json.RawMessage, error) {
	return recorded(sc, sc, recording{
		name: t.Name, address: ":call", in: toolInput{t.Name, call.Arguments}, once: t.AtMostOnce(),
		pay:  func() error { return budget.Spend(sc, oneToolCall) },
		cost: func(any) budget.Limits { return oneToolCall },
	}, func(ctx context.Context) (json.RawMessage, error) { return r.observed(ctx, t, call, nil) })
}

var oneToolCall = budget.Limits{ToolCalls: 1}

// A toolInput identifies a recorded call, next to its address.
type toolInput struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// A toolError is a recorded error for the model, without the name of the tool.
type toolError struct{ *CallError }

func (e toolError) Error() string { return e.Message }

// maxEventResult is how many bytes of a result a ToolFinished has.
const maxEventResult = 1 << 10

// observed makes a call, unless it cannot be made because of err, and emits its events.
func (r *Registry) observed(ctx context.Context, t *registered, call llm.ToolCall, err error) (json.RawMessage, error) {
	if scopeOf(ctx).events == nil {
		if err != nil {
			return nil, err
		}
		return r.call(ctx, t, call)
	}
	start := time.Now()
	unknown := t.Name == ""
	Emit(ctx, ToolStarted{Tool: call.Name, ID: call.ID, Arguments: validJSON(call.Arguments), Unknown: unknown})
	var output json.RawMessage
	if err == nil {
		output, err = r.call(ctx, t, call)
	}
	finished := ToolFinished{Tool: call.Name, ID: call.ID, Millis: time.Since(start).Milliseconds(), Unknown: unknown}
	switch {
	case errors.Is(err, ErrInterrupted):
		finished.Interrupted = true
	case err != nil:
		finished.Error = err.Error()
	default:
		finished.Result = prompt.Clip(string(output), maxEventResult)
		finished.Error, _ = ToolResult{Output: output}.Failed()
	}
	Emit(ctx, finished)
	return output, err
}

// validJSON returns raw, as a JSON string if it is not valid JSON, because an event
// must have a JSON form.
func validJSON(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || json.Valid(raw) {
		return raw
	}
	return json.RawMessage(prompt.Quote(string(raw)))
}

// find returns the tool of a call, and the normalized arguments.
func (r *Registry) find(call llm.ToolCall) (*registered, json.RawMessage, error) {
	t, ok := r.tools[call.Name]
	if !ok {
		return &registered{}, nil, r.unknown(call.Name)
	}
	arguments := call.Arguments
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	if t.checks {
		return t, arguments, nil
	}
	clean, err := t.check(arguments)
	return t, clean, err
}

// check returns the normalized arguments, if they match the schema of the tool.
func (t *registered) check(arguments json.RawMessage) (json.RawMessage, error) {
	clean, err := t.input.Normalize(arguments)
	if err != nil {
		return nil, fmt.Errorf("the arguments do not match the schema of %s: %w", t.Name, err)
	}
	return clean, nil
}

// call returns the result of the tool, if the model can get it.
func (r *Registry) call(ctx context.Context, t *registered, call llm.ToolCall) (json.RawMessage, error) {
	output, err := r.wait(ctx, t, call)
	switch {
	case t.AtMostOnce() && errors.Is(err, context.DeadlineExceeded) &&
		ctx.Err() == nil && !errors.Is(err, ErrToolAbandoned):
		return nil, fmt.Errorf("%w; it is not known whether the call had an effect: "+
			"do not repeat it, and inform the user", err)
	case err != nil:
		return nil, err
	case len(output) > r.opt.MaxResult:
		return nil, fmt.Errorf("the result of %s is too large: it has %d bytes, and the limit is %d; ask for less",
			t.Name, len(output), r.opt.MaxResult)
	case !json.Valid(output):
		return nil, fmt.Errorf("the result of %s is not valid JSON", t.Name)
	}
	return output, nil
}

// wait calls a tool on another goroutine, because a tool that does not watch its
// context cannot be stopped, only abandoned.
func (r *Registry) wait(ctx context.Context, t *registered, call llm.ToolCall) (json.RawMessage, error) {
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
		own := sc.enter(ctx, t.Name, sc.place.of(&t.Tool))
		frame := *own.frame
		frame.call, frame.nested = call.ID, frame.nested || t.Nested
		own.frame = &frame
		res.err = own.invoke(func(ctx context.Context) (err error) {
			res.output, err = t.Call(ctx, call.Arguments)
			return err
		})
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

// unknown returns the error for a tool that does not exist. The model wrote name.
func (r *Registry) unknown(name string) error {
	if len(r.names) == 0 {
		return errors.New("there are no tools")
	}
	hint := "."
	if near := refusal.Nearest(name, r.names, 1); len(near) > 0 {
		hint = fmt.Sprintf("; did you mean %s?", near[0])
	}
	return fmt.Errorf("there is no tool %q%s The tools are %s",
		prompt.Clip(name, 64), hint, strings.Join(r.names, ", "))
}
