package sqlagent

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"strings"
	"text/template"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// Prompts are the texts that the agent sends, as templates; nil stands for the
// agent's own, which are the files of the folder prompts. Make one with
// [qed.PromptFuncs]. What a database, a user or a model wrote must go through the
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
	err := prompt.Replace("sqlagent: Options.Prompts",
		prompt.Text{Name: "Select", Host: p.Select, Own: &all.Select, Data: SelectData{}},
		prompt.Text{Name: "Generate", Host: p.Generate, Own: &all.Generate, Data: GenerateData{}},
		prompt.Text{Name: "Correct", Host: p.Correct, Own: &all.Correct, Data: CorrectData{}},
		prompt.Text{Name: "Answer", Host: p.Answer, Own: &all.Answer, Data: AnswerData{}},
	)
	return all, err
}

func ownPrompts() *Prompts {
	parse := func(name string) *template.Template {
		return template.Must(template.New(name).Funcs(qed.PromptFuncs()).ParseFS(promptFiles, "prompts/"+name))
	}
	return &Prompts{
		Select:   parse("select.tmpl"),
		Generate: parse("generate.tmpl"),
		Correct:  parse("correct.tmpl"),
		Answer:   parse("answer.tmpl"),
	}
}

// request renders a prompt into what is sent: the prompt, with the conversation
// before it.
func (a *agent) request(name string, t *template.Template, data any, history []llm.Message) (*llm.Request, error) {
	var text strings.Builder
	if err := t.Execute(&text, data); err != nil {
		return nil, fmt.Errorf("sqlagent: prompt %s: %w", name, err)
	}
	history, err := a.fit(history, text.String())
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

// fit returns the newest messages of the conversation that may be sent beside a
// prompt. Only what the user and the assistant said is kept.
func (a *agent) fit(history []llm.Message, prompt string) ([]llm.Message, error) {
	room := a.opt.MaxContextTokens - llm.EstimateText(prompt)
	if room < 0 {
		return nil, &llm.Error{Kind: llm.ErrContextLength, Message: fmt.Sprintf(
			"the prompt alone has %d bytes, more than Options.MaxContextTokens allows: lower the limits on tables and columns", len(prompt))}
	}
	first := len(history)
	for first > 0 && len(history)-first < a.opt.MaxHistoryMessages {
		if room -= llm.EstimateText(history[first-1].Content); room < 0 {
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
