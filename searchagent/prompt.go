package searchagent

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
// [qed.PromptFuncs]. What an index, a user or a model wrote must go through the
// function quote, or it could pass for part of the text; the documents of a
// [PromptStep] and the fields of a [PromptIndex] are plain or quoted already.
type Prompts struct {
	Classify *template.Template // whether it is a search: [ClassifyData]
	Plan     *template.Template // planning: [PlanData]
	Generate *template.Template // writing a search, and writing it again: [GenerateData]
	Answer   *template.Template // putting what was found into words: [AnswerData]
}

// withDefaults fills in the agent's own texts, and tries out those of the host.
func (p *Prompts) withDefaults() (*Prompts, error) {
	all := ownPrompts()
	if p == nil {
		return all, nil
	}
	err := prompt.Replace("searchagent: Options.Prompts",
		prompt.Text{Name: "Classify", Host: p.Classify, Own: &all.Classify, Data: ClassifyData{}},
		prompt.Text{Name: "Plan", Host: p.Plan, Own: &all.Plan, Data: PlanData{}},
		prompt.Text{Name: "Generate", Host: p.Generate, Own: &all.Generate, Data: GenerateData{}},
		prompt.Text{Name: "Answer", Host: p.Answer, Own: &all.Answer, Data: AnswerData{}},
	)
	return all, err
}

func ownPrompts() *Prompts {
	parse := func(name string) *template.Template {
		return template.Must(template.New(name).Funcs(qed.PromptFuncs()).ParseFS(promptFiles, "prompts/"+name))
	}
	return &Prompts{
		Classify: parse("classify.tmpl"),
		Plan:     parse("plan.tmpl"),
		Generate: parse("generate.tmpl"),
		Answer:   parse("answer.tmpl"),
	}
}

// asking is how the agent asks the model.
func (o *Options) asking(model llm.Model) (*asking.Model, error) {
	m, err := asking.New("searchagent", model, o.Settings, qed.DurableModel)
	if err != nil {
		return nil, err
	}
	m.MaxContextTokens = o.MaxContextTokens
	m.MaxHistoryMessages = o.MaxHistoryMessages
	m.Shorter = "lower MaxFields or MaxDocumentBytes"
	return m, nil
}
