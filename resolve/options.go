package resolve

import (
	"cmp"
	"embed"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/internal/promptset"
	"github.com/qedkit/qed/llm"
)

// Options are the options of [NewEntityTool] and [NewFieldTool]. A nil Options
// and zero fields mean the defaults.
type Options struct {
	// Settings are how the tools call their model. Choosing needs short replies, so
	// the defaults differ from those of [llm.Settings]: MaxOutputTokens 0 means
	// 500, and ModelTimeout 0 means 30 seconds.
	llm.Settings
}

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// The prompts. Text of users, models and data goes through the function quote.
var (
	entityPrompt = promptset.Parse(promptFiles, "choose_entity.tmpl")
	fieldPrompt  = promptset.Parse(promptFiles, "choose_field.tmpl")
)

// choiceData is the data of the prompts that let the model choose a candidate.
type choiceData struct {
	Term, Kind string   // for a field, Kind is the source
	Request    string   // the user's request, if it is known
	Others     []string // the other terms of the call
	Candidates []choiceCandidate
}

// ShrinkRows leaves out the details of the candidates. No candidate is left out: the model
// would take the next best for the right one.
func (d *choiceData) ShrinkRows() bool {
	had := false
	for i := range d.Candidates {
		had = modelcall.Drop(&d.Candidates[i].Details) || had
	}
	return had
}

// A choiceCandidate is a candidate in a prompt.
type choiceCandidate struct {
	Number  int
	Name    string
	Kind    string // for a field, its source
	Details string // other properties, on one line
}

const (
	maxTerms = 20 // of a call

	// maxFieldsShown is the largest number of fields of a source that the model is
	// shown if no field is named like the term. If there are more, the model chooses
	// among the candidates only.
	maxFieldsShown = 80
)

// Limits of the texts in a prompt, in bytes.
const (
	maxRequestBytes = 4000
	maxDetails      = 200
)

// withDefaults returns the options with their defaults, and the model as the
// tools ask it; nil if model is nil.
func (o *Options) withDefaults(model llm.Model) (Options, *modelcall.Model, error) {
	v := option.Of(o)
	v.MaxOutputTokens = cmp.Or(v.MaxOutputTokens, 500)
	v.ModelTimeout = cmp.Or(v.ModelTimeout, 30*time.Second)
	asker, err := modelcall.New("resolve", model, v.Settings, qed.DurableModel)
	if err != nil {
		return v, nil, err
	}
	if model == nil {
		asker = nil // the settings are checked all the same
	}
	return v, asker, nil
}
