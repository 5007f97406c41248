package searchagent

import (
	"embed"
	"text/template"

	"github.com/qedkit/qed/internal/drafts"
	"github.com/qedkit/qed/internal/promptset"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// Prompts replaces prompts of the agent, which are the files in the directory
// prompts. A nil template means the agent's own. Make a template with
// [llm.PromptFuncs]. Text that an index, a user or a model wrote must go through
// the function quote, or it could be taken for part of the prompt. The documents
// of a [PromptTask] and the fields of a [PromptIndex] are safe already.
type Prompts struct {
	Classify *template.Template // decides whether a message asks for a search: [ClassifyData]
	Plan     *template.Template // plans: [PlanData]
	Generate *template.Template // writes and corrects a search: [GenerateData]
	Answer   *template.Template // answers from what was found: [AnswerData]
}

// withDefaults fills in the agent's own templates and tries those of the host.
func (p *Prompts) withDefaults() (*Prompts, error) {
	all := &Prompts{
		Classify: promptset.Parse(promptFiles, "classify.tmpl"),
		Plan:     promptset.Parse(promptFiles, "plan.tmpl"),
		Generate: drafts.Parse(promptFiles, "generate.tmpl"),
		Answer:   promptset.Parse(promptFiles, "answer.tmpl"),
	}
	if p == nil {
		return all, nil
	}
	err := promptset.Replace("searchagent: Options.Prompts",
		promptset.Text{Name: "Classify", Host: p.Classify, Own: &all.Classify, Data: ClassifyData{}},
		promptset.Text{Name: "Plan", Host: p.Plan, Own: &all.Plan, Data: PlanData{}},
		promptset.Text{Name: "Generate", Host: p.Generate, Own: &all.Generate, Data: GenerateData{}},
		promptset.Text{Name: "Answer", Host: p.Answer, Own: &all.Answer, Data: AnswerData{}},
	)
	return all, err
}
