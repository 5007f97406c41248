package sqlagent

import (
	"embed"
	"text/template"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/asking"
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

// asking is how the agent asks the model.
func (o *Options) asking(model llm.Model) (*asking.Model, error) {
	m, err := asking.New("sqlagent", model, o.Settings, qed.DurableModel)
	if err != nil {
		return nil, err
	}
	m.MaxContextTokens = o.MaxContextTokens
	m.MaxHistoryMessages = o.MaxHistoryMessages
	m.Shorter = "lower the limits on tables and columns"
	return m, nil
}
