// Package modelcall is how agents ask a model: with a rendered prompt and the
// conversation before it, within limits of length and time, for a value or for a
// text that streams.
package modelcall

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/template"
	"time"

	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/internal/loading"
	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
)

// A Model is a model with the settings of an agent. It is safe for concurrent
// use once its fields are set. Make one with [New].
type Model struct {
	Model llm.Model

	MaxHistoryMessages int    // limits the conversation before a prompt
	Shorter            string // what a host can do if a prompt alone is too long

	agent    string // the agent's package, for errors
	settings llm.Settings
}

// Standard is the settings that [New] uses for fields that are zero.
var Standard = llm.Settings{
	ContextTokens:   128_000,
	MaxOutputTokens: 4000,
	ModelTimeout:    2 * time.Minute,
}

// minContext is the lowest context: no prompt fits into less.
const minContext = 256

// maxTokens is the highest limit, so that sums of tokens stay numbers.
const maxTokens = 1 << 28

// New returns the model m as an agent asks it. agent is the name of the agent's
// package. durable makes the calls part of a run; it is qed.DurableModel.
//
// Fields of s that are zero have the values of [Standard]. A negative limit is
// an error.
func New(agent string, m llm.Model, s llm.Settings, durable func(llm.Model) llm.Model) (*Model, error) {
	err := option.Default(agent+": ContextTokens", &s.ContextTokens, Standard.ContextTokens)
	err = errors.Join(err,
		option.Default(agent+": MaxOutputTokens", &s.MaxOutputTokens, min(Standard.MaxOutputTokens, s.ContextTokens/4)),
		option.Default(agent+": ModelTimeout", &s.ModelTimeout, Standard.ModelTimeout),
	)
	if err != nil {
		return nil, err
	}
	if max(s.MaxOutputTokens, s.ContextTokens) > maxTokens {
		return nil, fmt.Errorf("%s: MaxOutputTokens is %d and ContextTokens %d: at most %d is allowed",
			agent, s.MaxOutputTokens, s.ContextTokens, maxTokens)
	}
	for name, n := range s.CallTokens {
		if n <= 0 {
			return nil, fmt.Errorf("%s: CallTokens of %q is %d: it must be more than 0", agent, name, n)
		}
	}
	if s.ContextTokens < minContext {
		return nil, fmt.Errorf("%s: ContextTokens is %d: at least %d is needed", agent, s.ContextTokens, minContext)
	}
	if s.MaxOutputTokens >= s.ContextTokens {
		return nil, fmt.Errorf("%s: MaxOutputTokens is %d: it must be less than ContextTokens, which is %d",
			agent, s.MaxOutputTokens, s.ContextTokens)
	}
	return &Model{Model: durable(limited(bounded(m, s.ModelTimeout, agent))), agent: agent, settings: s}, nil
}

// Request renders a prompt into a request with the newest messages of the conversation.
// They are where the template says {{conversation}}: what stands before it is the same
// for all questions, so that servers read it once. Without it they come before the prompt.
//
// What does not fit is left out, in this order: rows, by the method ShrinkRows of data, so
// that a quarter of the room is kept for the conversation; then the oldest messages; then
// what the method Shrink of data leaves out.
func (m *Model) Request(name string, t *template.Template, data any, history []llm.Message) (*llm.Request, error) {
	kept := min(m.historyTokens(history), m.Room()/4)
	rows, _ := data.(rowShrinker)
	rest, _ := data.(shrinker)
	for {
		text, err := m.Render(name, t, data)
		if err != nil {
			return nil, err
		}
		left := m.Room() - llm.EstimateTextTokens(text)
		if left < kept && rows != nil && rows.ShrinkRows() || left < 0 && rest != nil && rest.Shrink() {
			continue
		}
		if left < 0 {
			return nil, &llm.Error{Kind: llm.ErrContextLength, Message: fmt.Sprintf(
				"%s: the prompt %s alone has %d bytes, more than ContextTokens allows: %s", m.agent, name, len(text), m.Shorter)}
		}
		return m.Send(name, around(m.fit(history, left), text)...), nil
	}
}

// around puts the parts of a prompt before and after a conversation. The first part is in
// the message of the user with which the conversation begins: many models accept neither
// two messages of the user in a row nor one of the system.
func around(said []llm.Message, text string) []llm.Message {
	stable, rest, _ := strings.Cut(text, prompt.Conversation)
	switch {
	case len(said) == 0:
		rest = stable + rest
	case rest == "": // the template does not say where the conversation goes
		rest = stable
	case said[0].Role == llm.RoleUser:
		said[0].Content = stable + "\nThe conversation before the question:\n\n" + said[0].Content
	default:
		said = append([]llm.Message{{Role: llm.RoleUser, Content: stable}}, said...)
	}
	return append(said, llm.Message{Role: llm.RoleUser, Content: rest})
}

// Room is the number of tokens that a request may have.
func (m *Model) Room() int { return m.settings.ContextTokens - m.settings.MaxOutputTokens }

// Render returns the text of a prompt.
func (m *Model) Render(name string, t *template.Template, data any) (string, error) {
	var text strings.Builder
	text.Grow(2 << 10)
	if err := t.Execute(&text, data); err != nil {
		return "", fmt.Errorf("%s: prompt %s: %w", m.agent, name, err)
	}
	return text.String(), nil
}

// Send returns a request with the given messages.
func (m *Model) Send(name string, messages ...llm.Message) *llm.Request {
	limit := m.settings.MaxOutputTokens
	if own := m.settings.CallTokens[name]; own > 0 {
		limit = min(limit, own)
	}
	return &llm.Request{Name: name, Messages: messages, MaxOutputTokens: limit, Temperature: m.settings.Temperature}
}

// fit returns the newest messages of the user and the assistant that have no more
// tokens than are left.
func (m *Model) fit(history []llm.Message, left int) []llm.Message {
	first := len(history)
	for first > 0 && len(history)-first < m.MaxHistoryMessages {
		if left -= llm.EstimateTextTokens(history[first-1].Text()); left < 0 {
			break
		}
		first--
	}
	kept := make([]llm.Message, 0, len(history)-first+1)
	for _, said := range history[first:] {
		if said.Role == llm.RoleUser || said.Role == llm.RoleAssistant {
			kept = append(kept, llm.Message{Role: said.Role, Content: said.Text()})
		}
	}
	return kept
}

// historyTokens returns how many tokens the conversation has, up to a quarter of the room.
func (m *Model) historyTokens(history []llm.Message) (tokens int) {
	for i := len(history) - 1; i >= 0 && len(history)-i <= m.MaxHistoryMessages && tokens < m.Room()/4; i-- {
		tokens += llm.EstimateTextTokens(history[i].Text())
	}
	return tokens
}

// Object asks for a T.
func Object[T any](ctx context.Context, m *Model, req *llm.Request) (T, error) {
	return Choose[T](ctx, m, req, nil)
}

// Choose asks for a T of which some fields have one of a list of texts: see
// [llm.ObjectOptions].
func Choose[T any](ctx context.Context, m *Model, req *llm.Request, choices map[string]llm.Choice) (T, error) {
	opt := &llm.ObjectOptions{Choices: choices}
	if m.settings.JSONMode {
		opt.Mode = llm.JSONMode
	}
	v, _, err := llm.GenerateObject[T](ctx, m.Model, req, opt)
	return v, err
}

// Reply renders a prompt into a request, as [Model.Request] does, and asks for a T.
func Reply[T any](
	ctx context.Context, m *Model, name string, t *template.Template, data any, history []llm.Message,
) (T, error) {
	req, err := m.Request(name, t, data, history)
	if err != nil {
		var none T
		return none, err
	}
	return Object[T](ctx, m, req)
}

// Text asks for a text and passes each piece to stream as it arrives. With an error it
// returns the part that was streamed, which readers have already seen, or else the part
// that came with the error. A text that a failure of the model breaks off is one that is
// cut off: its error matches llm.ErrTruncated.
func (m *Model) Text(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (string, error) {
	var streamed strings.Builder
	resp, err := m.Model.Generate(ctx, req, func(d llm.Delta) {
		if d.Discard {
			streamed.Reset()
		}
		streamed.WriteString(d.Text)
		stream(d)
	})
	if err != nil {
		failed, ok := errors.AsType[*llm.Error](err)
		switch {
		case !ok || ctx.Err() != nil || errors.Is(err, budget.ErrExceeded):
		case streamed.Len() == 0 && failed.Partial != nil:
			return failed.Partial.Message.Content, err
		case strings.TrimSpace(streamed.String()) != "" && failed.Kind != llm.ErrContextLength && !Unusable(err):
			cut := *failed
			cut.Kind = llm.ErrTruncated
			err = &cut
		}
		return streamed.String(), err
	}
	return resp.Message.Content, nil
}

// Unusable reports whether the model replied with something that cannot be
// used: another request may still lead to an answer.
func Unusable(err error) bool {
	return errors.Is(err, llm.ErrInvalidOutput) || errors.Is(err, llm.ErrRefusal) || errors.Is(err, llm.ErrTruncated)
}

// bounded limits the time of each call of m. A call that takes longer fails
// with llm.ErrTimeout: the turn's context is still good, the model was too slow. The time
// in which a server loads the model is not counted.
func bounded(m llm.Model, limit time.Duration, agent string) llm.Model {
	slow := fmt.Errorf("%s: the model did not reply within ModelTimeout, which is %v", agent, limit)
	return llm.Wrap(m, func(m llm.Model) llm.Model {
		return llm.ModelFunc(func(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
			ctx, cancel := context.WithCancelCause(ctx)
			defer cancel(nil)
			timer := time.AfterFunc(limit, func() { cancel(slow) })
			defer timer.Stop()
			ctx = loading.WithRestart(ctx, func() {
				if timer.Stop() {
					timer.Reset(limit)
				}
			})
			resp, err := m.Generate(ctx, req, stream)
			if err != nil && context.Cause(ctx) == slow {
				err = &llm.Error{Kind: llm.ErrTimeout, Message: slow.Error(), Err: context.DeadlineExceeded}
			}
			return resp, err
		})
	})
}
