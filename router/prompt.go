package router

import (
	"embed"
	"text/template"

	"github.com/qedkit/qed/internal/prompt"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// RouterPrompts are the texts that a Router sends, as templates; nil stands for the package's own, which are files of the folder
// prompts. Make one with [PromptFuncs]. What a user or a model wrote must go through the function quote, or it could pass for
// part of the text.
type Prompts struct {
	Route   *template.Template // choosing a route: [RouteData]
	General *template.Template // the instructions for the general route: [GeneralData]
}

// RouteData is what the prompt for choosing a route is given.
type PromptData struct {
	Question string // the user's
	Routes   []RouteText

	// Unknown is a route that the model chose and that there is not, and Candidates what it may have meant. Empty the first time.
	Unknown    string
	Candidates []string
}

// GeneralData is what the instructions for the general route are given.
type GeneralPromptData struct {
	Routes []RouteText // the others, which have what the general one has not
}

// RouteText is a route in a prompt.
type RouteText struct{ Name, Description string }

// withDefaults fills in the package's own texts, and tries out those of the host.
func (p *Prompts) withDefaults() (Prompts, error) {
	all := Prompts{Route: prompt.Parse(promptFiles, "route.tmpl"), General: prompt.Parse(promptFiles, "general.tmpl")}
	if p == nil {
		return all, nil
	}
	err := prompt.Replace("qed: RouterOptions.Prompts",
		prompt.Text{Name: "Route", Host: p.Route, Own: &all.Route, Data: PromptData{}},
		prompt.Text{Name: "General", Host: p.General, Own: &all.General, Data: GeneralPromptData{}},
	)
	return all, err
}
