package toolagent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/strictjson"
	"github.com/qedkit/qed/llm"
)

// call makes the calls of a reply, and appends the reply and their results to the
// messages. If the budget is used up it returns an error after that.
func (r *run) call(ctx context.Context, reply llm.Message) error {
	reply.ToolCalls = r.identified(reply.ToolCalls)
	made := make([]*result, len(reply.ToolCalls))
	calls := make([]llm.ToolCall, 0, len(made))
	at := make([]int, 0, len(made)) // the index in made of each of calls
	for i, call := range reply.ToolCalls {
		made[i] = &result{ToolResult: qed.ToolResult{Call: call}}
		if made[i].Call.Arguments = r.withRows(call.Arguments); len(call.Arguments) == 0 {
			made[i].Call.Arguments = json.RawMessage("{}")
		}
		if made[i].Err = refused(i); made[i].Err != nil {
			continue
		}
		if r.repeats(made[i]) {
			continue
		}
		calls, at = append(calls, made[i].Call), append(at, i)
	}
	var spent error
	if len(calls) > 0 {
		results, err := r.tools.Do(ctx, calls...)
		if results == nil && err != nil {
			return err
		}
		spent = err
		for n, i := range at {
			made[i].ToolResult, made[i].sorted = results[n], "" // an approval can change the arguments
		}
	}
	r.add(reply)
	r.newest = len(r.results)
	for _, one := range made {
		if err := r.read(ctx, one); err != nil {
			return err
		}
		one.message = len(r.messages)
		r.add(llm.Message{Role: llm.RoleTool, ToolCallID: one.Call.ID, Content: one.content + one.remark})
		r.results = append(r.results, one)
	}
	return spent
}

// identified returns the calls with ids that no other call of the turn has. Some
// servers number the calls of each reply from zero.
func (r *run) identified(calls []llm.ToolCall) []llm.ToolCall {
	own := calls
	for i := range own {
		id := own[i].ID
		for n := len(r.results) + i; id == "" || r.given(id, own[:i]); n++ {
			id = "call_" + strconv.Itoa(n)
		}
		if id == own[i].ID {
			continue
		}
		if &own[0] == &calls[0] { // they belong to the model
			own = slices.Clone(calls)
		}
		own[i].ID = id
	}
	return own
}

func (r *run) given(id string, calls []llm.ToolCall) bool {
	return slices.ContainsFunc(calls, func(c llm.ToolCall) bool { return c.ID == id }) ||
		slices.ContainsFunc(r.results, func(one *result) bool { return one.Call.ID == id })
}

// refused returns why a call is not made, or nil. i is its position in the reply.
func refused(i int) error {
	if i >= maxCalls {
		return fmt.Errorf("this call was not made, because a reply may have at most %d calls; "+
			"make it in your next reply", maxCalls)
	}
	return nil
}

// repeats reports whether the call is the same as an earlier one, and refers to that.
func (r *run) repeats(one *result) bool {
	tool, err := r.tools.Lookup(one.Call.Name)
	if err != nil {
		return false
	}
	if !tool.Idempotent {
		r.latest = nil // it may have changed what the others return
		return false
	}
	for _, earlier := range r.latest {
		if earlier.Call.Name == one.Call.Name && sameArguments(earlier, one) && earlier.Err == nil {
			one.same = earlier
			return true
		}
	}
	r.latest = append(r.latest, one)
	return false
}

// sameArguments compares the JSON of two calls of a tool, without regard to layout
// and the order of members.
func sameArguments(a, b *result) bool {
	x, y := a.Call.Arguments, b.Call.Arguments
	return bytes.Equal(x, y) || weight(x) == weight(y) && a.canonical() == b.canonical()
}

// weight returns a number that is the same for JSON with another layout or order of
// members, so that most arguments need not be decoded to find that they differ.
func weight(raw json.RawMessage) (sum int) {
	for _, b := range raw {
		if b > ' ' {
			sum += 1<<16 + int(b)
		}
	}
	return sum
}

// canonical returns the arguments as JSON with sorted members.
func (one *result) canonical() string {
	if one.sorted == "" {
		one.sorted = string(canonical(one.Call.Arguments))
	}
	return one.sorted
}

func canonical(arguments json.RawMessage) json.RawMessage {
	v, err := strictjson.Any(arguments) // a large id keeps its digits
	if err != nil {
		return arguments
	}
	sorted, err := json.Marshal(v)
	if err != nil {
		return arguments
	}
	return sorted
}

// withRows returns arguments in which a reference that has a handle alone is the
// whole reference to the rows, as the tool's schema requires it.
func (r *run) withRows(arguments json.RawMessage) json.RawMessage {
	if len(r.rows) == 0 || !bytes.Contains(arguments, []byte(`"handle"`)) {
		return arguments
	}
	v, err := strictjson.Any(arguments)
	if err != nil {
		return arguments
	}
	whole, err := json.Marshal(r.expanded(v))
	if err != nil {
		return arguments
	}
	return whole
}

// expanded returns v with whole references to rows.
func (r *run) expanded(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = r.expanded(v[i])
		}
	case map[string]any:
		handle, _ := v["handle"].(string)
		if ref := r.rows[handle]; ref != nil && v["sample"] == nil {
			return ref
		}
		for name := range v {
			v[name] = r.expanded(v[name])
		}
	}
	return v
}

// quoted returns an error for the model as JSON, in which no tag can be closed.
func quoted(err error) string { return prompt.Quote(prompt.Clip(err.Error(), maxErrorText)) }
