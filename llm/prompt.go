package llm

import "github.com/qedkit/qed/internal/prompt"

// PromptFuncs returns the functions for the templates of prompts, for
// [text/template.Template.Funcs]: join joins strings, and quote writes a text
// as a JSON string that cannot close a tag around it. Text of users, models,
// documents and databases must go through quote.
func PromptFuncs() map[string]any { return prompt.Funcs() }
