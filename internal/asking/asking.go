// Package asking is how the agents ask a model: by a prompt with the conversation before
// it, within limits of length and time, for a value or for a text that streams.
package asking

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/template"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
)

// Model is a model, and how an agent asks it. It is safe for concurrent use.
type Model struct {
	Agent string // the agent's package, for errors
	Model llm.Model

	Temperature     float64 // negative: whatever the provider's default is
	MaxOutputTokens int
	Timeout         time.Duration // of one call
	JSONMode        bool          // for servers that do not hold replies to a schema

	MaxContextTokens   int    // of a prompt with the conversation; 0: it has no limit, and no conversation is told
	MaxHistoryMessages int    // of the conversation
	Shorter            string // what the host can do about a prompt that is too long alone
}

// Request renders a prompt into what is sent: the prompt, with the newest messages of the
// conversation before it.
func (m *Model) Request(name string, t *template.Template, data any, history []llm.Message) (*llm.Request, error) {
	var text strings.Builder
	if err := t.Execute(&text, data); err != nil {
		return nil, fmt.Errorf("%s: prompt %s: %w", m.Agent, name, err)
	}
	history, err := m.fit(history, text.String())
	if err != nil {
		return nil, fmt.Errorf("%s: prompt %s: %w", m.Agent, name, err)
	}
	req := &llm.Request{
		Name:      name,
		Messages:  append(history, llm.Message{Role: llm.User, Content: text.String()}),
		MaxTokens: m.MaxOutputTokens,
	}
	if m.Temperature >= 0 {
		req.Temperature = &m.Temperature
	}
	return req, nil
}

// fit returns the newest messages that may be sent beside a prompt. Only what the user
// and the assistant said is kept.
func (m *Model) fit(history []llm.Message, prompt string) ([]llm.Message, error) {
	if m.MaxContextTokens == 0 {
		return nil, nil
	}
	room := m.MaxContextTokens - llm.EstimateText(prompt)
	if room < 0 {
		return nil, &llm.Error{Kind: llm.ErrContextLength, Message: fmt.Sprintf(
			"the prompt alone has %d bytes, more than Options.MaxContextTokens allows: %s", len(prompt), m.Shorter)}
	}
	first := len(history)
	for first > 0 && len(history)-first < m.MaxHistoryMessages {
		if room -= llm.EstimateText(history[first-1].Content); room < 0 {
			break
		}
		first--
	}
	kept := make([]llm.Message, 0, len(history)-first+1)
	for _, said := range history[first:] {
		if said.Role == llm.User || said.Role == llm.Assistant {
			kept = append(kept, llm.Message{Role: said.Role, Content: said.Content})
		}
	}
	return kept, nil
}

// Object asks for a T, and adds what that cost to usage.
func Object[T any](ctx context.Context, m *Model, usage *llm.Usage, req *llm.Request) (T, error) {
	ctx, cancel := m.limit(ctx)
	defer cancel()
	opt := &llm.ObjectOptions{}
	if m.JSONMode {
		opt.Mode = llm.JSONMode
	}
	v, resp, err := llm.Object[T](ctx, m.Model, req, opt)
	if resp != nil {
		usage.Add(resp.Usage)
	}
	return v, m.failed(ctx, err)
}

// Text asks for a text, tells it as it comes, and adds what that cost to usage. A nil tell
// is [Say]. Beside an error it returns what was told, which cannot be taken back.
func (m *Model) Text(turn context.Context, usage *llm.Usage, req *llm.Request, tell func(string)) (string, error) {
	ctx, cancel := m.limit(turn)
	defer cancel()
	if tell == nil {
		tell = func(text string) { Say(turn, text) }
	}
	var told strings.Builder
	resp, err := m.Model.Generate(ctx, req, func(d llm.Delta) {
		told.WriteString(d.Text)
		tell(d.Text)
	})
	if err != nil {
		if failed, ok := errors.AsType[*llm.Error](err); ok && failed.Partial != nil {
			usage.Add(failed.Partial.Usage)
		}
		return told.String(), m.failed(ctx, err)
	}
	usage.Add(resp.Usage)
	return resp.Message.Content, nil
}

// Say emits a piece of the turn's answer.
func Say(ctx context.Context, text string) {
	if text != "" {
		qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: text})
	}
}

// Inept reports whether the model replied, but with nothing that can be used: another way
// may still lead to an answer.
func Inept(err error) bool {
	return errors.Is(err, llm.ErrInvalidOutput) || errors.Is(err, llm.ErrRefusal) || errors.Is(err, llm.ErrTruncated)
}

var errTimeout = errors.New("the model did not reply within Options.ModelTimeout")

func (m *Model) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, m.Timeout, errTimeout)
}

// failed gives a call that ran into the agent's own time limit the kind of a timeout: the
// turn's context is still good, the model was too slow.
func (m *Model) failed(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), errTimeout) {
		return &llm.Error{Kind: llm.ErrTimeout, Message: m.Agent + ": " + errTimeout.Error(), Err: err}
	}
	return err
}
