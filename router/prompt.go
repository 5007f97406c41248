package router

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
// [llm.PromptFuncs]. Everything that a user or a model wrote must go through the
// function quote, or the model could take it for instructions.
type Prompts struct {
	Route   *template.Template // chooses a route, with [RouteData]
	General *template.Template // the instructions for the general route, with [GeneralData]
}

// RouteData is the data of the prompt that chooses a route.
type RouteData struct {
	Question string // the user's message
	Routes   []RouteText
	Known    string // what is remembered of the user; quoted data

	// Unknown is the name in the model's last reply, which is not a route, and
	// Candidates are similar names. Both are empty in the first prompt.
	Unknown    string
	Candidates []string
}

// GeneralData is the data of the instructions for the general route.
type GeneralData struct {
	Language string      // of the answer, such as "de"; empty: that of the question
	Dates    dates.Facts // today and the calendar
	Routes   []RouteText // the other routes
	Known    string      // what is remembered of the user; quoted data
}

// RouteText is a route in a prompt.
type RouteText struct{ Name, Description string }

// withDefaults returns the prompts with the package's own for those that are nil. It
// executes the others once to check them.
func (p *Prompts) withDefaults() (Prompts, error) {
	all := Prompts{
		Route:   promptset.Parse(promptFiles, "route.tmpl"),
		General: promptset.Parse(promptFiles, "general.tmpl"),
	}
	if p == nil {
		return all, nil
	}
	err := promptset.Replace("router: Options.Prompts",
		promptset.Text{Name: "Route", Host: p.Route, Own: &all.Route, Data: RouteData{}},
		promptset.Text{Name: "General", Host: p.General, Own: &all.General, Data: GeneralData{}},
	)
	return all, err
}
