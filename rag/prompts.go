package rag

import (
	"embed"
	"text/template"

	"github.com/qedkit/qed/internal/promptset"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// Prompts are the texts that the agent sends to its model, as templates with the
// functions of [llm.PromptFuncs]. A nil template stands for the agent's own,
// which is in the folder prompts.
//
// Text of documents, users and models must go through the function quote.
// Otherwise the model could take it for a part of the prompt.
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
