package resolve

import (
	"embed"
	"fmt"
	"text/template"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/asking"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
)

// Options are the limits and texts of a tool. Nil and zero fields mean the defaults.
type Options struct {
	// Required says that every term has to be resolved: where one is not, the call fails with a
	// [*TermError]. Otherwise the result lists it as unresolved.
	Required bool

	// MaxTerms is how many terms a call may have: 20.
	MaxTerms int
	// MaxFieldsShown is of how many fields a model chooses where none is called like the term: 80.
	// Of a source with more it chooses among the candidates only. Negative: always.
	MaxFieldsShown int

	// Settings are how the agent calls its model.
	llm.Settings

	// Prompts replaces texts sent to the model; nil: none.
	Prompts *Prompts
}

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// Prompts are the texts that the tools send, as templates; nil stands for the package's own, which
// are the files of the folder prompts. Make one with [qed.PromptFuncs]. What users, models and data
// say must go through the function quote, or it could pass for part of the text.
type Prompts struct {
	ChooseEntity *template.Template // [ChooseData]
	ChooseField  *template.Template // [ChooseData]
}

// ChooseData is what the prompts for choosing are given. All of it is data.
type ChooseData struct {
	Term, Kind string // Kind: of a field, its source
	Request    string // the user's, where it is known
	Others     []string
	Equal      bool // the candidates could be meant as well as each other
	Candidates []ChooseCandidate
}

// A ChooseCandidate is one to choose from.
type ChooseCandidate struct {
	Number  int
	Name    string
	Kind    string // of a field, its source
	Details string // what else is known of it, on one line
}

const (
	maxOption       = 1 << 28
	maxRequestBytes = 4000
	maxDetails      = 200
)

// withDefaults fills in what is left out, and returns how the tools ask the model.
func (o *Options) withDefaults(model llm.Model) (Options, *asking.Model, error) {
	var out Options
	if o != nil {
		out = *o
	}
	for _, f := range []struct {
		name               string
		value              *int
		usual, least, most int
	}{
		{"MaxTerms", &out.MaxTerms, 20, 0, 1000},
		{"MaxFieldsShown", &out.MaxFieldsShown, 80, -maxOption, 1000},
	} {
		if *f.value < f.least || *f.value > f.most {
			return out, nil, fmt.Errorf("resolve: Options.%s is %d: it lies between %d and %d", f.name, *f.value, f.least, f.most)
		}
		if *f.value == 0 {
			*f.value = f.usual
		}
	}
	parse := func(name string) *template.Template {
		return template.Must(template.New(name).Funcs(qed.PromptFuncs()).ParseFS(promptFiles, "prompts/"+name))
	}
	own := &Prompts{ChooseEntity: parse("choose_entity.tmpl"), ChooseField: parse("choose_field.tmpl")}
	if out.Prompts != nil {
		if err := prompt.Replace("resolve: Options.Prompts",
			prompt.Text{Name: "ChooseEntity", Host: out.Prompts.ChooseEntity, Own: &own.ChooseEntity, Data: ChooseData{}},
			prompt.Text{Name: "ChooseField", Host: out.Prompts.ChooseField, Own: &own.ChooseField, Data: ChooseData{}},
		); err != nil {
			return out, nil, err
		}
	}
	out.Prompts = own
	settings := out.Settings
	if settings.MaxOutputTokens == 0 {
		settings.MaxOutputTokens = 500
	}
	if settings.ModelTimeout == 0 {
		settings.ModelTimeout = 30 * time.Second
	}
	if settings.Temperature == nil {
		settings.Temperature = new(float64)
	}
	m, err := asking.New("resolve", model, settings, qed.DurableModel)
	if model == nil {
		m = nil
	}
	return out, m, err
}
