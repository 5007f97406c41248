package research

import (
	"embed"

	"github.com/qedkit/qed/internal/promptset"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

var (
	analyzePrompt  = promptset.Parse(promptFiles, "analyze_question.tmpl")
	queriesPrompt  = promptset.Parse(promptFiles, "write_queries.tmpl")
	coveragePrompt = promptset.Parse(promptFiles, "judge_coverage.tmpl")
	concludePrompt = promptset.Parse(promptFiles, "conclude_clarification.tmpl")
	planPrompt     = promptset.Parse(promptFiles, "plan_tasks.tmpl")
	refinePrompt   = promptset.Parse(promptFiles, "refine_query.tmpl")
	condensePrompt = promptset.Parse(promptFiles, "condense_passage.tmpl")
	gatePrompt     = promptset.Parse(promptFiles, "gate_references.tmpl")
	assessPrompt   = promptset.Parse(promptFiles, "assess_task.tmpl")
	reportPrompt   = promptset.Parse(promptFiles, "write_report.tmpl")
	qualityPrompt  = promptset.Parse(promptFiles, "check_quality.tmpl")
)

// A shown is a passage or a finding in a prompt.
type shown struct{ Key, Title, Text string }
