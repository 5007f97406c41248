package mcpkit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/question"
)

const (
	maxRounds  = 5 // of questions in one call
	maxFields  = 5 // of a form
	maxChoices = 50
	maxTries   = 3 // at entering a number
)

// A round holds the questions of a call, and then the replies. It is recorded in the
// log of the run.
type round struct {
	State   string                       `json:"state,omitempty"` // of the server, returned unchanged
	Needs   map[string]*mcp.ElicitParams `json:"needs,omitempty"`
	Replies map[string]*mcp.ElicitResult `json:"replies,omitempty"`
}

func (r *round) responses() mcp.InputResponseMap {
	responses := mcp.InputResponseMap{}
	for id, reply := range r.Replies {
		responses[id] = reply
	}
	return responses
}

// A step is the result of one request: an output, an error with the server's text, or
// questions.
type step struct {
	Output json.RawMessage `json:"output,omitempty"`
	Failed string          `json:"failed,omitempty"`
	Needs  json.RawMessage `json:"needs,omitempty"` // a round
}

// stepInput identifies a recorded request.
type stepInput struct {
	Arguments json.RawMessage `json:"arguments"`
	Round     json.RawMessage `json:"round,omitempty"`
}

// caller returns the function that calls a tool.
func (c *Client) caller(
	name string, idempotent bool,
) func(context.Context, json.RawMessage) (json.RawMessage, error) {
	return func(ctx context.Context, arguments json.RawMessage) (json.RawMessage, error) {
		if !c.opt.Elicitation {
			result, err := c.callTool(ctx, name, arguments, nil)
			switch {
			case err != nil:
				return nil, err
			case result.NeedsInput():
				return nil, errors.New("the MCP server asks the user, which is not allowed here")
			}
			return c.output(ctx, result)
		}
		record := qed.StepOnce[step]
		if idempotent {
			record = qed.Step[step]
		}
		var r *round
		for range maxRounds {
			in := stepInput{Arguments: arguments}
			if r != nil {
				in.Round, _ = json.Marshal(r) // never fails: r was decoded from JSON
			}
			// Each request is recorded as a step, so that a resumed turn does not make it
			// again.
			s, err := record(ctx, "mcp", in, func(ctx context.Context) (step, error) {
				return c.step(ctx, name, arguments, r)
			})
			switch {
			case err != nil:
				return nil, err
			case s.Failed != "":
				return nil, errors.New(s.Failed)
			case s.Needs == nil:
				return s.Output, nil
			}
			r = new(round)
			if err := json.Unmarshal(s.Needs, r); err != nil {
				return nil, err
			}
			if err := c.ask(ctx, name, r); err != nil {
				return nil, err
			}
		}
		return nil, fmt.Errorf("the MCP server asked the user more than %d times in one call", maxRounds)
	}
}

// step makes one request of a call.
func (c *Client) step(ctx context.Context, name string, arguments json.RawMessage, r *round) (step, error) {
	result, err := c.callTool(ctx, name, arguments, r)
	if err != nil {
		return step{}, err
	}
	if !result.NeedsInput() {
		out, err := c.output(ctx, result)
		if err != nil {
			return step{Failed: err.Error()}, nil
		}
		return step{Output: out}, nil
	}
	if len(result.InputRequests) == 0 {
		return step{Failed: "the MCP server is busy, try again later"}, nil
	}
	next := round{State: result.RequestState, Needs: map[string]*mcp.ElicitParams{}}
	for id, request := range result.InputRequests {
		form, ok := request.(*mcp.ElicitParams)
		if !ok {
			return step{Failed: "the MCP server asks for a model or for folders, which is not supported"}, nil
		}
		next.Needs[id] = form
	}
	needs, err := json.Marshal(next)
	return step{Needs: needs}, err
}

// ask puts the questions of r to the user and stores the replies in r.
func (c *Client) ask(ctx context.Context, tool string, r *round) error {
	r.Replies = map[string]*mcp.ElicitResult{}
	for _, id := range slices.Sorted(maps.Keys(r.Needs)) {
		reply, err := c.elicit(ctx, tool, r.Needs[id])
		if errors.Is(err, qed.ErrCannotInterrupt) {
			reply, err = &mcp.ElicitResult{Action: "decline"}, nil
		}
		if err != nil {
			return err
		}
		r.Replies[id] = reply
	}
	r.Needs = nil
	return nil
}

// elicit asks for the fields of a form, one after the other: the required fields, or
// all if none is required.
func (c *Client) elicit(ctx context.Context, tool string, p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	decline := &mcp.ElicitResult{Action: "decline"}
	fields, ok := formFields(p)
	if !ok {
		return decline, nil
	}
	text := fmt.Sprintf("The MCP server %s asks for its tool %s: %s", c.Name(), clean(tool, maxName),
		prompt.Quote(clean(p.Message, 1000)))
	if len(fields) == 0 {
		agreed, err := choose(ctx, text, []choice{{"accept", "Yes"}})
		if err != nil || agreed == "" {
			return decline, err
		}
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{}}, nil
	}
	content := map[string]any{}
	for _, f := range fields {
		value, err := f.ask(ctx, text)
		if err != nil {
			return nil, err
		}
		if value == nil {
			return decline, nil
		}
		content[f.name] = value
	}
	return &mcp.ElicitResult{Action: "accept", Content: content}, nil
}

// A field is one of the plain values of a form.
type field struct {
	name, kind, label string
	choices           []choice
}

// A choice is a value and its text for the user.
type choice struct{ value, text string }

// formFields returns the fields to ask for. It reports false if p is not a form of a
// few plain fields.
func formFields(p *mcp.ElicitParams) ([]field, bool) {
	raw, err := json.Marshal(p.RequestedSchema)
	if err != nil || p.Mode != "" && p.Mode != "form" || p.URL != "" {
		return nil, false
	}
	type titled struct {
		Const string `json:"const"`
		Title string `json:"title"`
	}
	var form struct {
		Required   []string
		Properties map[string]struct {
			Type, Title, Description string
			Enum, EnumNames          []string
			OneOf                    []titled
		}
	}
	if err := json.Unmarshal(raw, &form); err != nil {
		return nil, false
	}
	names := form.Required
	if len(names) == 0 {
		names = slices.Sorted(maps.Keys(form.Properties))
	}
	var fields []field
	for _, name := range names {
		property, ok := form.Properties[name]
		f := field{name: name, kind: property.Type, label: clean(property.Title+" "+property.Description, 300)}
		if f.label == "" {
			f.label = clean(name, 100)
		}
		for i, id := range property.Enum {
			text := id
			if len(property.EnumNames) == len(property.Enum) {
				text = property.EnumNames[i]
			}
			f.choices = append(f.choices, choice{id, clean(text, 200)})
		}
		for _, o := range property.OneOf {
			f.choices = append(f.choices, choice{o.Const, clean(o.Title, 200)})
		}
		if f.kind == "boolean" {
			f.choices = []choice{{"true", "Yes"}, {"false", "No"}}
		}
		if !ok || !slices.Contains([]string{"string", "boolean", "number", "integer"}, f.kind) || !choosable(f.choices) {
			return nil, false
		}
		fields = append(fields, f)
	}
	return fields, len(fields) <= maxFields
}

// choosable reports whether the texts of the choices differ from each other and from
// declining.
func choosable(choices []choice) bool {
	taken := map[string]bool{strings.ToLower(declineText): true}
	for _, c := range choices {
		text := strings.ToLower(prompt.OneLine(c.text))
		if c.value == "" || text == "" || taken[text] {
			return false
		}
		taken[text] = true
	}
	return len(choices) <= maxChoices
}

// ask returns the user's value, or nil if the user declines.
func (f field) ask(ctx context.Context, text string) (any, error) {
	text += "\n" + prompt.Quote(f.label)
	if f.choices != nil {
		value, err := choose(ctx, text, f.choices)
		switch {
		case err != nil || value == "":
			return nil, err
		case f.kind == "boolean":
			return value == "true", nil
		}
		return value, nil
	}
	text += "\n(or: decline)"
	for range maxTries {
		reply, err := qed.Interrupt[string](ctx, question.Question{Text: text})
		if err != nil || strings.EqualFold(strings.TrimSpace(reply), "decline") {
			return nil, err
		}
		if f.kind == "string" {
			return reply, nil
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(reply), 10, 64); err == nil {
			return n, nil
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(reply), 64)
		if err == nil && f.kind == "number" && !math.IsInf(n, 0) && !math.IsNaN(n) {
			return n, nil
		}
	}
	return nil, nil
}

const (
	declineID   = "qed:decline" // the ID of the choice that is added
	declineText = "Decline"
)

// choose returns the value that the user chose, or "" if the user declines. The IDs of
// the choices are not the server's values. An ID takes precedence over the number and
// the text of a choice, so a server could give a reply of "1" or "Decline" another
// meaning.
func choose(ctx context.Context, text string, choices []choice) (string, error) {
	values := map[string]string{}
	var options []question.Choice
	for i, c := range choices {
		id := fmt.Sprintf("qed:%d", i+1)
		values[id] = c.value
		options = append(options, question.Choice{ID: id, Text: prompt.OneLine(c.text)})
	}
	id, err := qed.Interrupt[string](ctx,
		question.Question{Text: text, Choices: append(options, question.Choice{ID: declineID, Text: declineText})})
	return values[id], err
}
