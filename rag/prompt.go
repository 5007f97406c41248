package rag

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
// [qed.PromptFuncs]. What a document, a user or a model wrote must go through the
// function quote, or it could pass for part of the text.
type Prompts struct {
	Rewrite *template.Template // making a question stand alone: [RewriteData]
	Answer  *template.Template // answering it: [AnswerData]
}

// withDefaults fills in the agent's own texts, and tries out those of the host.
func (p *Prompts) withDefaults() (*Prompts, error) {
	parse := func(name string) *template.Template {
		return template.Must(template.New(name).Funcs(prompt.Funcs()).ParseFS(promptFiles, "prompts/"+name))
	}
	all := &Prompts{Rewrite: parse("rewrite.tmpl"), Answer: parse("answer.tmpl")}
	if p == nil {
		return all, nil
	}
	err := prompt.Replace("rag: Options.Prompts",
		prompt.Text{Name: "Rewrite", Host: p.Rewrite, Own: &all.Rewrite, Data: RewriteData{}},
		prompt.Text{Name: "Answer", Host: p.Answer, Own: &all.Answer, Data: AnswerData{}},
	)
	return all, err
}

// asking is how the agent asks the model: without the conversation, of which the question
// was made independent.
func (o *Options) asking(model llm.Model) (*asking.Model, error) {
	return asking.New("rag", model, o.Settings, qed.DurableModel)
}
