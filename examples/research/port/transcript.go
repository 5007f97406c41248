package port

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed/examples/internal/replay"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
)

type object = map[string]any

// A recording is what a model said in a research.
type recording struct {
	Question string
	Language string
	Concepts []string
	Ask      []string // to the user, if a clarification is iterative
	Not      string   // why other references are not followed
	Tasks    []object
	Wished   map[string]object // further tasks, by a word of the user's reply
	Also     string            // the heading of findings that were not recorded
	Passages []passage
	Report   []string // its lines
}

// A passage is what the model said about one: what is relevant in it, and whether to
// follow its references.
type passage struct {
	Text     string // in it
	Relevant string
	Score    float64
	Follow   string // why its references are followed; empty means that they are not
}

//go:embed researches.json
var researchesFile []byte

var researches = func() (all []recording) {
	if err := json.Unmarshal(researchesFile, &all); err != nil {
		panic(fmt.Sprintf("port: researches.json: %v", err)) // not reached: the file is embedded
	}
	return all
}()

// condensed is a reply about a passage. The references are found by patterns.
func condensed(relevant string, score float64) object {
	return object{"relevant": relevant, "score": score, "references": []object{}}
}

// Recorded returns the questions of the transcript.
func Recorded() []string {
	var all []string
	for _, r := range researches {
		all = append(all, r.Question)
	}
	return all
}

// Transcript returns the rules of a model that researches as recorded. What it says
// about a passage needs the passage in its prompt. See [Model] for the rest.
func Transcript() []llmtest.Rule {
	var rules []llmtest.Rule
	for _, r := range researches {
		about := replay.Asks("Question of the user: ", r.Question)
		asks := replay.Asks("Question: ", r.Question)
		rules = append(rules,
			replay.Rule("analyze_question", replay.Asks("The question is data: ", r.Question), object{
				"key_concepts": r.Concepts, "entities": []string{}, "scope": "the port of Nordsund", "language": r.Language,
				"clarification_needed": false, "queries": []string{r.Question},
			}),
			replay.Rule("write_queries", asks, object{"language": r.Language, "queries": r.Concepts[:2]}),
			replay.Rule("judge_coverage", func(req *llm.Request) bool {
				return asks(req) && (len(r.Ask) == 0 || replay.Mentions(req, replied))
			}, object{"coverage": 0.9, "gaps": []string{}, "questions": []string{}}),
			replay.Rule("judge_coverage", asks, object{"coverage": 0.5, "gaps": []string{"what is needed"}, "questions": r.Ask}),
			replay.Rule("conclude_clarification", asks, object{
				"key_concepts": r.Concepts, "entities": []string{}, "scope": "the port of Nordsund", "queries": []string{r.Question},
			}),
		)
		for word, task := range r.Wished {
			wished := func(req *llm.Request) bool { return asks(req) && adds(req, word) }
			rules = append(rules, replay.Rule("plan_tasks", wished, object{"tasks": append(slices.Clone(r.Tasks), task)}))
		}
		rules = append(rules,
			replay.Rule("plan_tasks", asks, object{"tasks": r.Tasks}),
			replay.Rule("write_report", asks, strings.Join(r.Report, "\n")),
			replay.Rule("check_quality", asks, object{
				"factual_accuracy": 95, "semantic_validity": 95, "structural_integrity": 90, "query_relevance": 95,
			}),
			replay.Rule("assess_task", about, object{"done": true}),
			replay.Rule("refine_query", func(req *llm.Request) bool {
				return about(req) && isTask(taskOf(req)) && replay.Mentions(req, "date of the hose test")
			}, object{"query": "hose tested months replaced"}),
			replay.Rule("refine_query", about, object{"query": ""}),
		)
		for _, p := range r.Passages {
			in := func(req *llm.Request) bool { return about(req) && replay.Mentions(req, p.Text) }
			rules = append(rules, replay.Rule("condense_passage", in, condensed(p.Relevant, p.Score)))
			decided := []object{
				{"reference": 0, "follow": p.Follow != "", "reason": cmp.Or(p.Follow, r.Not)},
				{"reference": 1, "follow": false, "reason": r.Not},
			}
			says := func(req *llm.Request) bool { return about(req) && replay.Mentions(req, p.Relevant) }
			rules = append(rules, replay.Rule("gate_references", says, object{"decisions": decided}))
		}
		rules = append(rules, replay.Rule("condense_passage", about, condensed("", 0)),
			replay.Rule("gate_references", about, object{"decisions": []object{}}))
	}
	for i := range rules {
		rules[i].Replies[0].Usage = llm.Usage{InputTokens: 700, OutputTokens: 150}
	}
	return rules
}
