package rag

import (
	"embed"
	"text/template"

	"github.com/qedkit/qed/internal/promptset"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// Prompts are the templates of the texts that are sent to the model. Nil means the
// package's own, which are the files of the folder prompts. Make a template with
// [llm.PromptFuncs]. Everything that a document, a user or a model wrote must go
// through the function quote, or the model could take it for instructions.
type Prompts struct {
	Rewrite *template.Template // rewrites a question so that it stands alone: [RewriteData]
	Answer  *template.Template // answers a question: [AnswerData]
}

// withDefaults fills in the agent's own templates and tries those of the host.
func (p *Prompts) withDefaults() (*Prompts, error) {
	all := &Prompts{
		Rewrite: promptset.Parse(promptFiles, "rewrite.tmpl"),
		Answer:  promptset.Parse(promptFiles, "answer.tmpl"),
	}
	if p == nil {
		return all, nil
	}
	err := promptset.Replace("rag: Options.Prompts",
		promptset.Text{Name: "Rewrite", Host: p.Rewrite, Own: &all.Rewrite, Data: RewriteData{}},
		promptset.Text{Name: "Answer", Host: p.Answer, Own: &all.Answer, Data: AnswerData{}},
	)
	return all, err
}
