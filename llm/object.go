package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/qedkit/qed/internal/schema"
)

// ObjectOptions says how [Object] asks. Nil and the zero value mean the defaults.
type ObjectOptions struct {
	// Mode is how the provider is told of the schema. The default, [SchemaMode], has the provider hold the reply to it.
	Mode Mode

	// Repairs is how often the model may mend a reply that does not fit. 0 means 2; a negative number means never.
	Repairs int
}

// Object asks m for a T instead of text. T is a struct (or a map) whose json tags name its fields; a field with
// omitempty or omitzero is optional, and the tags jsonschema and jsonschema_description describe it further.
//
// The reply is checked against T's schema. One that does not fit goes back to the model with what is wrong with it.
// When it still does not fit after all repairs, the error matches [ErrInvalidOutput], and its Partial is the last
// reply. Any other failure of m ends Object at once; [Retry] is for those.
//
// In [JSONMode] the schema stands in the prompt. In both modes the object may stand in a fenced block or between prose,
// as small models like to have it; a reply that could be read in two ways does not fit.
//
// req must have no Format and no Tools. It is not changed.
//
// The Response is the last reply, or what arrived of it, and its Usage that of all tries. It is nil only when nothing
// ever arrived.
func Object[T any](ctx context.Context, m Model, req *Request, opt *ObjectOptions) (T, *Response, error) {
	var zero T
	if req.Format != nil || len(req.Tools) > 0 {
		return zero, nil, &Error{Kind: ErrBadRequest, Message: "Object sets the Format itself and takes no Tools: leave both empty"}
	}
	if opt == nil {
		opt = &ObjectOptions{}
	}
	s, err := schema.For[T]()
	if err != nil {
		return zero, nil, &Error{Kind: ErrBadRequest, Message: err.Error(), Err: err}
	}
	ask := *req
	ask.Format = &Format{Name: formatName(reflect.TypeFor[T]()), Schema: s.JSON(), Mode: opt.Mode}
	ask.Messages = append([]Message(nil), req.Messages...)
	if opt.Mode == JSONMode {
		ask.Messages = describe(ask.Messages, s.JSON())
	}

	var last *Response
	var usage Usage
	for try := 0; ; try++ {
		attempt := ask // of its own, because whoever traces it may look at it later
		resp, err := m.Generate(ctx, &attempt, nil)
		if err != nil {
			var e *Error
			if errors.As(err, &e) && e.Partial != nil {
				last = e.Partial
				usage.Add(last.Usage)
			}
			return zero, withUsage(last, usage), err
		}
		usage.Add(resp.Usage)
		last = resp
		v, err := read(s, resp.Message.Content)
		if err == nil {
			return v, withUsage(resp, usage), nil
		}
		if try >= repairs(opt.Repairs) {
			total := withUsage(resp, usage)
			return zero, total, &Error{
				Kind:    ErrInvalidOutput,
				Message: fmt.Sprintf("%s, after %d tries: %v", ask.Format.Name, try+1, err),
				Err:     err,
				Partial: total,
			}
		}
		ask.Messages = append(ask.Messages,
			Message{Role: Assistant, Content: resp.Message.Content},
			Message{Role: User, Content: "That reply cannot be used: " + err.Error() +
				".\nReply again with the whole corrected JSON object, and nothing else."})
	}
}

func repairs(n int) int {
	switch {
	case n == 0:
		return 2
	case n < 0:
		return 0
	}
	return n
}

// withUsage returns a copy of resp that counts usage: a reply may be shared, as [Cache] shares it.
func withUsage(resp *Response, usage Usage) *Response {
	if resp == nil {
		return nil
	}
	total := *resp
	total.Usage = usage
	return &total
}

// read reads both modes alike: a server that knows no schemas takes a request with one all the same.
func read[T any](s *schema.Schema[T], reply string) (T, error) {
	raw, err := extract(reply)
	if err != nil {
		var zero T
		return zero, err
	}
	return s.Decode(raw)
}

// describe puts the schema into the prompt: behind the instructions where there are some, else in front of all.
func describe(messages []Message, schema json.RawMessage) []Message {
	text := "Reply with one JSON object and nothing else: no explanation, no code fence. Its JSON Schema is:\n" + string(schema)
	if len(messages) > 0 && messages[0].Role == System {
		messages[0].Content += "\n\n" + text
		return messages
	}
	return append([]Message{{Role: System, Content: text}}, messages...)
}

// formatName names T in the characters that providers allow.
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
