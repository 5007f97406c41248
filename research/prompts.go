package research

import (
	"embed"
	"strings"

	"github.com/qedkit/qed/internal/promptset"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

var (
	analyzePrompt  = promptset.Parse(promptFiles, "analyze.tmpl")
	queriesPrompt  = promptset.Parse(promptFiles, "queries.tmpl")
	coveragePrompt = promptset.Parse(promptFiles, "coverage.tmpl")
	concludePrompt = promptset.Parse(promptFiles, "conclude.tmpl")
	planPrompt     = promptset.Parse(promptFiles, "plan.tmpl")
	refinePrompt   = promptset.Parse(promptFiles, "refine.tmpl")
	condensePrompt = promptset.Parse(promptFiles, "condense.tmpl")
	gatePrompt     = promptset.Parse(promptFiles, "gate.tmpl")
	assessPrompt   = promptset.Parse(promptFiles, "assess.tmpl")
	reportPrompt   = promptset.Parse(promptFiles, "report.tmpl")
	qualityPrompt  = promptset.Parse(promptFiles, "quality.tmpl")
)

// A shown is a passage or a finding in a prompt.
type shown struct{ Key, Title, Text string }

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
