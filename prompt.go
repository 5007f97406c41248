package qed

import (
	"embed"
	"sync"
	"text/template"

	"github.com/qedkit/qed/internal/promptset"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// summarisePrompt is parsed once, as many turns need it.
var summarisePrompt = sync.OnceValue(func() *template.Template {
	return promptset.Parse(promptFiles, "summarise.tmpl")
})

// maxReason is how many bytes of a model's reason are used.
const maxReason = 300
