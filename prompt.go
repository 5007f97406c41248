package qed

import (
	"embed"
	"sync"
	"text/template"

	"github.com/qedkit/qed/internal/prompt"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// summarisePrompt is parsed once, as many turns need it.
var summarisePrompt = sync.OnceValue(func() *template.Template { return prompt.Parse(promptFiles, "summarise.tmpl") })

// PromptFuncs returns the functions for the templates of prompts: join joins
// strings, and quote writes a text as a JSON string that cannot close a tag
// around it. Text of users, models, documents and databases must go through
// quote.
func PromptFuncs() template.FuncMap { return prompt.Funcs() }

// maxReason is how many bytes of a model's reason are used.
const maxReason = 300
