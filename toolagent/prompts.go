package toolagent

import (
	"embed"

	"github.com/qedkit/qed/dates"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// instructionsData is the data of the system message.
type instructionsData struct {
	Instructions string      // [Options.Instructions]
	Language     string      // of the answer, such as "de"; empty: that of the question
	Dates        dates.Facts // today and the calendar
}

// wrapUpData is the data of the prompt for an answer without further calls.
type wrapUpData struct {
	Instructions string // [Options.Instructions]
	Language     string // of the answer, such as "de"; empty: that of the question
	Dates        dates.Facts
	Question     string // the user's message
	Reason       string // why no tool can be called
	Findings     []resultText
}

// A resultText is a call and its result in a prompt. Tool must go through the function
// quote. Arguments and Result have text in which no tag can be closed.
type resultText struct{ Tool, Arguments, Result string }
