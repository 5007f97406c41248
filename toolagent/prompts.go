package toolagent

import (
	"embed"
	"text/template"

	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/promptset"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// Prompts are the templates of the texts that are sent to the model. Nil means the
// package's own, which are the files of the folder prompts. Make a template with
// [llm.PromptFuncs]. Question and Reason must go through the function
// quote.
type Prompts struct {
	Instructions *template.Template // the system message of the steps, with [InstructionsData]
	WrapUp       *template.Template // asks for the answer after a limit, with [WrapUpData]
}

// InstructionsData is the data of the system message.
type InstructionsData struct {
	Instructions string      // [Options.Instructions]
	Language     string      // of the answer, such as "de"; empty: that of the question
	Dates        dates.Facts // today and the calendar
}

// WrapUpData is the data of the prompt for an answer without further calls.
type WrapUpData struct {
	Instructions string // [Options.Instructions]
	Language     string // of the answer, such as "de"; empty: that of the question
	Dates        dates.Facts
	Question     string // the user's message
	Reason       string // why no tool can be called
	Findings     []ResultText
}

// A ResultText is a call and its result in a prompt. Tool must go through the function
// quote. Arguments and Result have text in which no tag can be closed.
type ResultText struct{ Tool, Arguments, Result string }

// withDefaults returns the prompts with the package's own for those that are nil. It
// executes the others once to check them.
func (p *Prompts) withDefaults() (Prompts, error) {
	all := Prompts{
		Instructions: promptset.Parse(promptFiles, "instructions.tmpl"),
		WrapUp:       promptset.Parse(promptFiles, "wrap_up.tmpl"),
	}
	if p == nil {
		return all, nil
	}
	err := promptset.Replace("toolagent: Options.Prompts",
		promptset.Text{Name: "Instructions", Host: p.Instructions, Own: &all.Instructions, Data: InstructionsData{}},
		promptset.Text{Name: "WrapUp", Host: p.WrapUp, Own: &all.WrapUp, Data: WrapUpData{}},
	)
	return all, err
}
