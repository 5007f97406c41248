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

	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/llm"
)

// A Model is a model with the settings of an agent. It is safe for concurrent
// use once its fields are set. Make one with [New].
type Model struct {
	Model llm.Model

	// MaxContextTokens limits a prompt together with the conversation before
	// it. 0 means that prompts are sent without the conversation and that their
	// length is not limited.
	MaxContextTokens   int
	MaxHistoryMessages int    // limits the conversation
	Shorter            string // what a host can do if a prompt alone is too long

	agent    string // the agent's package, for errors
	settings llm.Settings
}

// Standard is the settings that [New] uses for fields that are zero.
var Standard = llm.Settings{
	MaxOutputTokens: 4000,
	ModelTimeout:    2 * time.Minute,
}

// maxOutput is the highest MaxOutputTokens, so that sums of tokens stay numbers.
const maxOutput = 1 << 28

// New returns the model m as an agent asks it. agent is the name of the agent's
// package. durable makes the calls part of a run; it is qed.DurableModel.
//
// Fields of s that are zero have the values of [Standard]. A negative limit is
// an error.
func New(agent string, m llm.Model, s llm.Settings, durable func(llm.Model) llm.Model) (*Model, error) {
	err := errors.Join(
		option.Default(agent+": MaxOutputTokens", &s.MaxOutputTokens, Standard.MaxOutputTokens),
		option.Default(agent+": ModelTimeout", &s.ModelTimeout, Standard.ModelTimeout),
	)
	if err != nil {
		return nil, err
	}
	if s.MaxOutputTokens > maxOutput {
		return nil, fmt.Errorf("%s: MaxOutputTokens is %d: at most %d is allowed", agent, s.MaxOutputTokens, maxOutput)
	}
	return &Model{Model: durable(bounded(m, s.ModelTimeout, agent)), agent: agent, settings: s}, nil
}

// Request renders a prompt into a request: the newest messages of the
// conversation, and the prompt after them.
func (m *Model) Request(name string, t *template.Template, data any, history []llm.Message) (*llm.Request, error) {
	text, err := m.Render(name, t, data)
	if err != nil {
		return nil, err
	}
	history, err = m.fit(history, text)
	if err != nil {
		return nil, fmt.Errorf("%s: prompt %s: %w", m.agent, name, err)
	}
	return m.Send(name, append(history, llm.Message{Role: llm.RoleUser, Content: text})...), nil
}

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
	return &llm.Request{
		Name:            name,
		Messages:        messages,
		MaxOutputTokens: m.settings.MaxOutputTokens,
		Temperature:     m.settings.Temperature,
	}
}

// fit returns the newest messages of the user and the assistant that may be
// sent before a prompt.
func (m *Model) fit(history []llm.Message, prompt string) ([]llm.Message, error) {
	if m.MaxContextTokens == 0 {
		return nil, nil
	}
	left := m.MaxContextTokens - m.tokens(prompt)
	if left < 0 {
		return nil, &llm.Error{Kind: llm.ErrContextLength, Message: fmt.Sprintf(
			"the prompt alone has %d bytes, more than Options.MaxContextTokens allows: %s", len(prompt), m.Shorter)}
	}
	first := len(history)
	for first > 0 && len(history)-first < m.MaxHistoryMessages {
		if left -= m.tokens(history[first-1].Text()); left < 0 {
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
	return kept, nil
}

// tokens returns how many tokens a text has, as the model counts them.
func (m *Model) tokens(text string) int {
	if counter, ok := m.Model.(llm.TokenCounter); ok {
		return counter.CountTokens(&llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: text}}})
	}
	return llm.EstimateTextTokens(text)
}

// Object asks for a T and adds the cost to usage.
func Object[T any](ctx context.Context, m *Model, usage *llm.Usage, req *llm.Request) (T, error) {
	opt := &llm.ObjectOptions{}
	if m.settings.JSONMode {
		opt.Mode = llm.JSONMode
	}
	v, resp, err := llm.GenerateObject[T](ctx, m.Model, req, opt)
	if resp != nil {
		usage.Add(resp.Usage)
	}
	return v, err
}

// Reply renders a prompt into a request, as [Model.Request] does, and asks for a T.
func Reply[T any](
	ctx context.Context, m *Model, usage *llm.Usage, name string, t *template.Template, data any, history []llm.Message,
) (T, error) {
	req, err := m.Request(name, t, data, history)
	if err != nil {
		var none T
		return none, err
	}
	return Object[T](ctx, m, usage, req)
}

// Text asks for a text, passes each piece to stream as it arrives, and adds the
// cost to usage. With an error it returns the part that was streamed, which
// readers have already seen, or else the part that came with the error.
func (m *Model) Text(ctx context.Context, usage *llm.Usage, req *llm.Request, stream func(llm.Delta)) (string, error) {
	var streamed strings.Builder
	resp, err := m.Model.Generate(ctx, req, func(d llm.Delta) {
		if d.Discard {
			streamed.Reset()
		}
		streamed.WriteString(d.Text)
		stream(d)
	})
	if err != nil {
		if failed, ok := errors.AsType[*llm.Error](err); ok && failed.Partial != nil {
			usage.Add(failed.Partial.Usage)
			if streamed.Len() == 0 {
				return failed.Partial.Message.Content, err
			}
		}
		return streamed.String(), err
	}
	usage.Add(resp.Usage)
	return resp.Message.Content, nil
}

// Unusable reports whether the model replied with something that cannot be
// used: another request may still lead to an answer.
func Unusable(err error) bool {
	return errors.Is(err, llm.ErrInvalidOutput) || errors.Is(err, llm.ErrRefusal) || errors.Is(err, llm.ErrTruncated)
}

// bounded limits the time of each call of m. A call that takes longer fails
// with llm.ErrTimeout: the turn's context is still good, the model was too slow.
func bounded(m llm.Model, limit time.Duration, agent string) llm.Model {
	slow := fmt.Errorf("%s: the model did not reply within ModelTimeout, which is %v", agent, limit)
	return llm.Wrap(m, func(m llm.Model) llm.Model {
		return llm.ModelFunc(func(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
			ctx, cancel := context.WithTimeoutCause(ctx, limit, slow)
			defer cancel()
			resp, err := m.Generate(ctx, req, stream)
			if err != nil && context.Cause(ctx) == slow {
				err = &llm.Error{Kind: llm.ErrTimeout, Message: slow.Error(), Err: err}
			}
			return resp, err
		})
	})
}
