package sqlagent

import (
	"embed"
	"text/template"

	"github.com/qedkit/qed/internal/drafts"
	"github.com/qedkit/qed/internal/promptset"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// Prompts replaces prompts of the agent, which are the files in the directory
// prompts: https://github.com/qedkit/qed/tree/main/sqlagent/prompts. A nil template
// means the agent's own. Make a template with [llm.PromptFuncs], and begin with a copy
// of the agent's own.
//
// Text that a database, a user or a model wrote must go through the function quote.
// Without it, the text could be taken for part of the prompt.
type Prompts struct {
	Select   *template.Template // chooses tables: [SelectData]
	Generate *template.Template // writes SQL: [GenerateData]
	Correct  *template.Template // corrects SQL: [CorrectData]
	Answer   *template.Template // answers from the rows: [AnswerData]
}

// withDefaults fills in the agent's own templates and tries those of the host.
func (p *Prompts) withDefaults() (*Prompts, error) {
	all := &Prompts{
		Select:   promptset.Parse(promptFiles, "select.tmpl"),
		Generate: drafts.Parse(promptFiles, "generate.tmpl"),
		Correct:  promptset.Parse(promptFiles, "correct.tmpl"),
		Answer:   promptset.Parse(promptFiles, "answer.tmpl"),
	}
	if p == nil {
		return all, nil
	}
	err := promptset.Replace("sqlagent: Options.Prompts",
		promptset.Text{Name: "Select", Host: p.Select, Own: &all.Select, Data: SelectData{}},
		promptset.Text{Name: "Generate", Host: p.Generate, Own: &all.Generate, Data: GenerateData{}},
		promptset.Text{Name: "Correct", Host: p.Correct, Own: &all.Correct, Data: CorrectData{}},
		promptset.Text{Name: "Answer", Host: p.Answer, Own: &all.Answer, Data: AnswerData{}},
	)
	return all, err
}
