package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/internal/schema"
)

// ObjectOptions are the options of [GenerateObject].
type ObjectOptions struct {
	// Mode is how the provider enforces the schema. The default is [SchemaMode].
	Mode FormatMode

	// Choices are the only texts that some fields may have, by the path of the field,
	// such as "route" or "tasks.tool". They are added to the schema that is sent, so that
	// a provider that enforces it cannot reply with others. The reply is checked without
	// them: a misspelt name is the caller's to read. A field with more than 250 of them
	// is sent without, and so are all in [JSONMode].
	Choices map[string]Choice
}

// A Choice is the texts that a field may have.
type Choice struct {
	Texts []string
	Most  int // how many of them a list may have; 0 means all
}

func withChoices(text json.RawMessage, all map[string]Choice) (json.RawMessage, error) {
	if len(all) == 0 {
		return text, nil
	}
	choices := schema.Choices{}
	for path, c := range all {
		choices[path] = schema.Choice(c)
	}
	return choices.With(text)
}

const maxRepairs = 2 // of a reply that violates the schema

// GenerateObject asks m for a T instead of text (structured output). T is a
// struct, or a map with string keys. The json tags name the fields, a field with
// omitempty or omitzero is optional, and the tags jsonschema and
// jsonschema_description add constraints and descriptions. Nil options mean the
// defaults.
//
//   - The reply is checked against the schema of T. A reply that violates it goes
//     back to the model together with the problems found. If the reply is still
//     wrong after two repairs, the error matches [ErrInvalidOutput] and has the
//     last reply as its Partial.
//   - So does a failure of m that matches [ErrInvalidOutput].
//   - A reply that was cut off ([ErrTruncated]) is asked for once more, as a short one.
//   - Any other failure of m is returned at once. Wrap m in [Retry] to repeat
//     those.
//   - In [JSONMode] the schema is added to the prompt. In both modes the object
//     may be inside a code fence or surrounded by prose. A reply with several
//     objects is treated as wrong.
//   - req must have no Format and no Tools. It is not modified.
//
// The Response is the last reply, or the part of it that arrived, with the Usage
// of all calls. It is nil only if nothing arrived.
func GenerateObject[T any](ctx context.Context, m Model, req *Request, opt *ObjectOptions) (T, *Response, error) {
	var zero T
	if req.Format != nil || len(req.Tools) > 0 {
		return zero, nil, &Error{
			Kind:    ErrBadRequest,
			Message: "GenerateObject sets Format itself and does not support Tools: leave both empty",
		}
	}
	o := option.Of(opt)
	if o.Mode == JSONMode {
		o.Choices = nil // the prompt has them
	}
	var text json.RawMessage
	s, err := schema.For[T]()
	if err == nil {
		text, err = withChoices(s.JSON(), o.Choices)
	}
	if err != nil {
		return zero, nil, &Error{Kind: ErrBadRequest, Message: err.Error(), Err: err}
	}
	base := *req
	base.Format = &Format{Name: formatName(reflect.TypeFor[T]()), Schema: text, Mode: o.Mode}
	base.Messages = slices.Clone(req.Messages)
	if o.Mode == JSONMode {
		base.Messages = withInstruction(base.Messages, schema.Instruction(text))
	}
	var last *Response
	var usage Usage
	for repair := 0; ; repair++ {
		attempt := base // a copy per call, because a Trace may keep the request
		resp, err := m.Generate(ctx, &attempt, nil)
		if err != nil {
			if e, ok := errors.AsType[*Error](err); ok && e.Partial != nil {
				last = e.Partial
				usage.Add(last.Usage)
			}
			again, ok := askAgain(ctx, err, repair)
			if !ok {
				return zero, last.withUsage(usage), err
			}
			base.Messages = append(base.Messages, again)
			continue
		}
		usage.Add(resp.Usage)
		last = resp.withUsage(usage)
		v, err := decodeObject(s, resp.Message.Content)
		if err == nil {
			return v, last, nil
		}
		if repair >= maxRepairs {
			return zero, last, &Error{
				Kind:    ErrInvalidOutput,
				Message: fmt.Sprintf("%s, after %d attempts: %v", base.Format.Name, repair+1, err),
				Err:     err,
				Partial: last,
			}
		}
		base.Messages = append(base.Messages,
			Message{Role: RoleAssistant, Content: resp.Message.Content},
			correction(err))
	}
}

// askAgain returns the message after a call that failed. It reports false if the failure
// is final.
func askAgain(ctx context.Context, err error, repair int) (m Message, ok bool) {
	switch {
	case errors.Is(err, ErrInvalidOutput): // some servers check the reply themselves
		return correction(err), repair < maxRepairs
	case errors.Is(err, ErrTruncated):
		return Message{Role: RoleUser, Content: cutOff}, repair == 0 && ctx.Err() == nil
	}
	return m, false
}

// correction returns the message for a reply that cannot be used.
func correction(err error) Message {
	return Message{Role: RoleUser, Content: "That reply cannot be used: " + err.Error() +
		".\nReply again with the whole corrected JSON object, and nothing else."}
}

// cutOff asks again after a reply that was too long.
const cutOff = "Your last reply was cut off because it was too long. " +
	"Reply with the JSON object and nothing else, and keep its texts short."

// decodeObject extracts the object from a reply, in both modes: servers that do
// not support schemas often accept a request with one and ignore it.
func decodeObject[T any](s *schema.Schema[T], reply string) (T, error) {
	raw, err := extract(reply)
	if err != nil {
		var zero T
		return zero, err
	}
	return s.Decode(raw)
}

// withInstruction adds text to the first message if that is a system message,
// and otherwise adds a system message in front. It modifies messages.
func withInstruction(messages []Message, text string) []Message {
	if len(messages) > 0 && messages[0].Role == RoleSystem {
		messages[0].Content += "\n\n" + text
		return messages
	}
	return append([]Message{{Role: RoleSystem, Content: text}}, messages...)
}

// formatName returns the name of t with the characters that providers accept.
func formatName(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	name, _, _ := strings.Cut(t.Name(), "[")
	ascii := strings.Map(func(r rune) rune {
		if r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return -1
	}, name)
	if ascii == "" {
		return "reply"
	}
	return ascii[:min(len(ascii), 64)]
}
