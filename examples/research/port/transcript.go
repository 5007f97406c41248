package port

import (
	"cmp"
	"slices"

	"github.com/qedkit/qed/examples/internal/replay"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
)

type object = map[string]any

// A recording is what a model said in a research.
type recording struct {
	question string
	language string
	concepts []string
	ask      []string // to the user, if a clarification is iterative
	not      string   // why other references are not followed
	tasks    []object
	wished   map[string]object // further tasks, by a word of the user's reply
	also     string            // the heading of findings that were not recorded
	passages []passage
	report   string
}

// A passage is what the model said about one: what is relevant in it, and whether to
// follow its references.
type passage struct {
	text     string // in it
	relevant string
	score    float64
	follow   string // why its references are followed; empty means that they are not
}

var researches = []recording{
	{
		question: "Wie viel Liegegeld zahlt ein Schiff mit Landstrom für drei Nächte?",
		language: "de",
		also:     "Außerdem gefunden",
		not:      "nicht nötig",
		concepts: []string{"Liegegeld", "Landstrom"},
		tasks: []object{
			{"description": "Wie hoch das Liegegeld ist und wofür es ermäßigt wird", "query": "Liegegeld Höhe Nacht"},
			{"description": "Was als Landstrom zählt", "query": "Landstrom Anschlüsse Kais"},
		},
		passages: []passage{
			{"Wer über Nacht liegt, zahlt Liegegeld", "Wer über Nacht liegt, zahlt Liegegeld; die Höhe regelt die Gebührenordnung.", 0.9, "die Höhe steht dort"},
			{"Das Liegegeld beträgt 120 Euro", "Das Liegegeld beträgt 120 Euro für jede angefangene Nacht; es gibt Ermäßigungen.", 1, "Landstrom kann eine Ermäßigung sein"},
			{"zahlt 15 Prozent weniger Liegegeld", "Wer Landstrom bezieht, zahlt 15 Prozent weniger Liegegeld.", 1, "sie sagt, was als Landstrom zählt"},
			{"Als Landstrom zählen Anschlüsse", "Als Landstrom zählen Anschlüsse mit mindestens 400 Volt an den Kais 2, 3 und 5.", 0.9, ""},
			{"Diese Ordnung gilt für alle Schiffe, die im Hafen", "Die Liegeplatzordnung gilt für Schiffe, die über Nacht liegen.", 0.4, ""},
		},
		report: `## Ergebnis

{needs c3djgz c7ve4z}
Für drei Nächte zahlt ein Schiff mit Landstrom 306 Euro:

| Rechnung | Euro |
|---|---|
| drei Nächte zu je 120 Euro | 360 |
| 15 Prozent weniger mit Landstrom | −54 |
| zu zahlen | 306 |

{end}
Ein Schiff zahlt für jede angefangene Nacht 120 Euro Liegegeld [c3djgz]. Wer über Nacht liegt, zahlt immer [c0dsvm]. Mit Landstrom sind es 15 Prozent weniger [c7ve4z].

## Was als Landstrom zählt

Es zählen Anschlüsse mit mindestens 400 Volt an den Kais 2, 3 und 5 [c0ujkv].`,
	},
	{
		question: "What must be checked before a ship takes fuel, and how often are hoses tested?",
		language: "en",
		also:     "Also found",
		ask: []string{
			"Do you need the checks alone, or also the permit?",
			"Is it a ship at a berth or at anchor?",
		},
		wished: map[string]object{
			"permit": {"description": "How long the permit is valid", "query": "permit valid hours bunkering berths anchor"},
		},
		not:      "not needed",
		concepts: []string{"fuel", "checks", "hose test"},
		tasks: []object{
			{"description": "The checks before a ship takes fuel", "query": "ship takes fuel permit"},
			{"description": "How often hoses are tested", "query": "hose test interval", "after": []int{1}},
		},
		passages: []passage{
			{"A ship takes fuel only with a permit", "A ship takes fuel only with a permit.", 0.8, "the rules say what the permit needs"},
			{"Before bunkering starts, two persons", "A permit is valid for 12 hours. Two persons complete the checks of the manual.", 0.9, "the checks are there"},
			{"Check the drip trays", "The checks are the drip trays, the scuppers, the radio and the date of the hose test.", 1, "the intervals are there"},
			{"A fuel hose is tested every 12 months", "A fuel hose is tested every 12 months, and replaced when it is older than 8 years.", 1, "the Act has the duty"},
			{"This Act applies to every ship that takes fuel", "The Bunker Act applies to every ship that takes fuel in the port.", 0.5, ""},
		},
		report: `## Answer

Two persons check the drip trays, the scuppers, the radio and the date of the hose test [c0uwp5][c3imxp]. A fuel hose is tested every 12 months [c3ykxs].

## The permit

A ship takes fuel only with a permit [c62obg]. It is valid for 12 hours [c3imxp].`,
	},
	{
		question: "Was kosten Schlepper, und an welchen Tagen wird Öl abgeholt?",
		language: "de",
		also:     "Außerdem gefunden",
		not:      "nicht nötig",
		concepts: []string{"Schlepper", "Abholung"},
		tasks: []object{
			{"description": "Was ein Schlepper kostet", "query": "Schiffe Länge zwei Schlepper"},
			{"description": "Wann Öl abgeholt wird, auch an Feiertagen", "query": "Öl wird montags abgeholt"},
		},
		passages: []passage{
			{"nehmen zwei Schlepper", "Schiffe über 150 Meter Länge nehmen zwei Schlepper.", 0.8, "die Kosten stehen dort"},
			{"Ein Schlepper kostet 900 Euro", "Ein Schlepper kostet 900 Euro je Stunde.", 1, ""},
			{"Öl wird montags abgeholt", "Öl wird montags abgeholt; Feiertage stehen anderswo.", 1, "Feiertage können den Tag ändern"},
		},
		report: `## Ergebnis

Ein Schlepper kostet 900 Euro je Stunde [c9jfhk], und Schiffe über 150 Meter Länge nehmen zwei [c0br7u]. Öl wird montags abgeholt [c9lkg3].

## Offen

Ob sich der Tag an Feiertagen ändert, steht nicht in den Dokumenten [c9lkg3].`,
	},
}

// condensed is a reply about a passage. The references are found by patterns.
func condensed(relevant string, score float64) object {
	return object{"relevant": relevant, "score": score, "references": []object{}}
}

// Recorded returns the questions of the transcript.
func Recorded() []string {
	var all []string
	for _, r := range researches {
		all = append(all, r.question)
	}
	return all
}

// Transcript returns the rules of a model that researches as recorded. What it says
// about a passage needs the passage in its prompt. See [Model] for the rest.
func Transcript() []llmtest.Rule {
	var rules []llmtest.Rule
	for _, r := range researches {
		about := replay.Asks("Question of the user: ", r.question)
		asks := replay.Asks("Question: ", r.question)
		rules = append(rules,
			replay.Rule("analyze_question", replay.Asks("The question is data: ", r.question), object{
				"key_concepts": r.concepts, "entities": []string{}, "scope": "the port of Nordsund", "language": r.language,
				"clarification_needed": false, "queries": []string{r.question},
			}),
			replay.Rule("write_queries", asks, object{"language": r.language, "queries": r.concepts[:2]}),
			replay.Rule("judge_coverage", func(req *llm.Request) bool {
				return asks(req) && (len(r.ask) == 0 || replay.Mentions(req, replied))
			}, object{"coverage": 0.9, "gaps": []string{}, "questions": []string{}}),
			replay.Rule("judge_coverage", asks, object{"coverage": 0.5, "gaps": []string{"what is needed"}, "questions": r.ask}),
			replay.Rule("conclude_clarification", asks, object{
				"key_concepts": r.concepts, "entities": []string{}, "scope": "the port of Nordsund", "queries": []string{r.question},
			}),
		)
		for word, task := range r.wished {
			wished := func(req *llm.Request) bool { return asks(req) && adds(req, word) }
			rules = append(rules, replay.Rule("plan_tasks", wished, object{"tasks": append(slices.Clone(r.tasks), task)}))
		}
		rules = append(rules,
			replay.Rule("plan_tasks", asks, object{"tasks": r.tasks}),
			replay.Rule("write_report", asks, r.report),
			replay.Rule("check_quality", asks, object{
				"factual_accuracy": 95, "semantic_validity": 95, "structural_integrity": 90, "query_relevance": 95,
			}),
			replay.Rule("assess_task", about, object{"done": true}),
			replay.Rule("refine_query", func(req *llm.Request) bool {
				return about(req) && isTask(taskOf(req)) && replay.Mentions(req, "date of the hose test")
			}, object{"query": "hose tested months replaced"}),
			replay.Rule("refine_query", about, object{"query": ""}),
		)
		for _, p := range r.passages {
			in := func(req *llm.Request) bool { return about(req) && replay.Mentions(req, p.text) }
			rules = append(rules, replay.Rule("condense_passage", in, condensed(p.relevant, p.score)))
			decided := []object{
				{"reference": 0, "follow": p.follow != "", "reason": cmp.Or(p.follow, r.not)},
				{"reference": 1, "follow": false, "reason": r.not},
			}
			says := func(req *llm.Request) bool { return about(req) && replay.Mentions(req, p.relevant) }
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
