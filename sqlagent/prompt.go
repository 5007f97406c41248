package sqlagent

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/template"

	"github.com/qedkit/qed/llm"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// Prompts are the texts that the agent sends, as templates; nil stands for the
// agent's own, which are the files of the folder prompts. Make one with
// [PromptFuncs]. What a database, a user or a model wrote must go through the
// function quote, or it could pass for part of the text.
type Prompts struct {
	Select   *template.Template // choosing tables: [SelectData]
	Generate *template.Template // writing SQL: [GenerateData]
	Correct  *template.Template // writing it again: [CorrectData]
	Answer   *template.Template // putting the rows into words: [AnswerData]
}

// withDefaults fills in the agent's own texts, and tries out those of the host.
func (p *Prompts) withDefaults() (*Prompts, error) {
	all := ownPrompts()
	if p == nil {
		return all, nil
	}
	for _, t := range []struct {
		name string
		from *template.Template
		to   **template.Template
		data any
	}{
		{"Select", p.Select, &all.Select, SelectData{}},
		{"Generate", p.Generate, &all.Generate, GenerateData{}},
		{"Correct", p.Correct, &all.Correct, CorrectData{}},
		{"Answer", p.Answer, &all.Answer, AnswerData{}},
	} {
		if t.from == nil {
			continue
		}
		if err := t.from.Execute(io.Discard, t.data); err != nil {
			return nil, fmt.Errorf("sqlagent: Options.Prompts.%s: %w", t.name, err)
		}
		*t.to = t.from
	}
	return all, nil
}

func ownPrompts() *Prompts {
	parse := func(name string) *template.Template {
		return template.Must(template.New(name).Funcs(PromptFuncs()).ParseFS(promptFiles, "prompts/"+name))
	}
	return &Prompts{
		Select:   parse("select.tmpl"),
		Generate: parse("generate.tmpl"),
		Correct:  parse("correct.tmpl"),
		Answer:   parse("answer.tmpl"),
	}
}

// PromptFuncs returns the functions that the prompts use: join joins strings,
// quote writes a text as a JSON string in which no tag can end.
func PromptFuncs() template.FuncMap {
	return template.FuncMap{"join": strings.Join, "quote": quote}
}

// quote writes untrusted text as a JSON string: it stays on one line, and as <
// is escaped, it cannot end a tag around it.
func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return `""` // not reached: every string has a JSON form
	}
	return string(b)
}

// request renders a prompt into what is sent: the prompt, with the conversation
// before it.
func (a *agent) request(name string, t *template.Template, data any, history []llm.Message) (*llm.Request, error) {
	var text strings.Builder
	if err := t.Execute(&text, data); err != nil {
		return nil, fmt.Errorf("sqlagent: prompt %s: %w", name, err)
	}
	history, err := a.fit(history, text.Len())
	if err != nil {
		return nil, fmt.Errorf("sqlagent: prompt %s: %w", name, err)
	}
	req := &llm.Request{
		Name:      name,
		Messages:  append(history, llm.Message{Role: llm.User, Content: text.String()}),
		MaxTokens: a.opt.MaxOutputTokens,
	}
	if *a.opt.Temperature >= 0 {
		req.Temperature = a.opt.Temperature
	}
	return req, nil
}

const charsPerToken = 4

// fit returns the newest messages of the conversation that may be sent beside a
// prompt of so many bytes. Only what the user and the assistant said is kept.
func (a *agent) fit(history []llm.Message, prompt int) ([]llm.Message, error) {
	room := a.opt.MaxContextTokens*charsPerToken - prompt
	if room < 0 {
		return nil, &llm.Error{Kind: llm.ErrContextLength, Message: fmt.Sprintf(
			"the prompt alone has %d bytes, more than Options.MaxContextTokens allows: lower the limits on tables and columns", prompt)}
	}
	first := len(history)
	for first > 0 && len(history)-first < a.opt.MaxHistoryMessages {
		if room -= len(history[first-1].Content); room < 0 {
			break
		}
		first--
	}
	kept := make([]llm.Message, 0, len(history)-first+1)
	for _, m := range history[first:] {
		if m.Role == llm.User || m.Role == llm.Assistant {
			kept = append(kept, llm.Message{Role: m.Role, Content: m.Content})
		}
	}
	return kept, nil
}

// object asks the model for a T.
func object[T any](ctx context.Context, a *agent, s *state, req *llm.Request) (T, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, a.opt.ModelTimeout, errModelTimeout)
	defer cancel()
	opt := &llm.ObjectOptions{}
	if a.opt.JSONMode {
		opt.Mode = llm.JSONMode
	}
	v, resp, err := llm.Object[T](ctx, a.model, req, opt)
	if resp != nil {
		s.Usage.Add(resp.Usage)
	}
	return v, modelError(ctx, err)
}

// inept reports whether the model replied, but with nothing that can be used:
// another way may still lead to an answer.
func inept(err error) bool {
	return errors.Is(err, llm.ErrInvalidOutput) || errors.Is(err, llm.ErrRefusal) || errors.Is(err, llm.ErrTruncated)
}
