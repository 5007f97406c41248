package searchagent_test

import (
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm/llmtest"
)

// If nothing is found, each condition is counted alone, and the model tries once
// more with that.
func TestNothingFound(t *testing.T) {
	const relaxed = `{"query":{"match":{"name":"tax"}}}`
	for _, tt := range []struct {
		name    string
		counts  map[string]int64
		second  llmtest.Reply
		answers []answer
		ran     int
		found   bool
		why     []string // what the answer must say
	}{
		{
			name: "another search finds it", counts: map[string]int64{`"Tax"`: 0, "": 7},
			second: body(relaxed), answers: []answer{{contains: "match", docs: folders("abc-123")}, {contains: "abc-123", docs: files(1)}}, ran: 3, found: true,
		},
		{
			name: "neither does another", counts: map[string]int64{`"Tax"`: 0, `"tax"`: 0, "": 7},
			second: body(relaxed), ran: 2, why: []string{`{\"match\":{\"name\":\"tax\"}} matches no document`},
		},
		{
			name: "it is right", counts: map[string]int64{`"Tax"`: 0, "": 7},
			second: body(folderBody), ran: 1, why: []string{`\"Tax\"`, "matches no document"},
		},
		{
			name: "the model does not know", counts: map[string]int64{`"Tax"`: 0, "": 7},
			second: body(""), ran: 1, why: []string{"matches no document"},
		},
		{
			name: "what it writes is refused for ever", counts: map[string]int64{`"Tax"`: 0, "": 7},
			second: body(`{"query":{"term":{"nope":1}}}`), ran: 1, why: []string{"matches no document"},
		},
		{
			name: "only together", counts: map[string]int64{"": 3},
			second: body(folderBody), ran: 1, why: []string{"alone matches 3", "none of the 3"},
		},
		{name: "nothing may be seen", ran: 1, why: []string{"no visible documents"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rules := scripted()
			rules[2] = generates(findFolder, body(folderBody), tt.second)
			rules[2].Repeat = true
			m, e := llmtest.New(rules...), &engine{answers: tt.answers, counts: tt.counts}
			events, got := ask(t, newAgent(t, m, e, nil), qed.Turn{Text: taxDocuments})
			if len(e.ran) != tt.ran {
				t.Errorf("ran %d searches, want %d: %q", len(e.ran), tt.ran, e.ran)
			}
			if tt.found {
				if got.Partial || len(got.Queries) != 2 || got.Queries[0].Written != relaxed || got.Queries[0].Corrections[0].Query != folderBody {
					t.Errorf("answer = %+v", got)
				}
				wants(t, "the prompt for the words", sent(m, "answer")[0], "found with other conditions")
				wants(t, "the second prompt", sent(m, "generate")[1], "found nothing", "matches no document", "alone matches 7")
				return
			}
			if !got.Partial || got.Table != nil || len(got.Queries) != 1 || got.Queries[0].Executed == "" {
				t.Errorf("answer = %+v", got)
			}
			wants(t, "the reason", got.PartialReason, "Nothing was found", "documents", "was not searched")
			lacks(t, "the reason", got.PartialReason, "{", "matches")
			if started := all[qed.TaskStarted](events); len(started) != 1 {
				t.Errorf("started %+v: no step may run on nothing", started)
			}
			if prompts := sent(m, "generate"); strings.Contains(prompts[len(prompts)-1], findDocuments+"\"\n") {
				t.Errorf("the model wrote a search on nothing")
			}
			words := sent(m, "answer")
			if len(words) != 1 {
				t.Fatalf("%d requests for words", len(words))
			}
			wants(t, "the prompt for the words", words[0], append(tt.why, "Nothing was found")...)
		})
	}
}

// If the model fails, the text is the program's own.
func TestNothingFoundAndNoWords(t *testing.T) {
	m := llmtest.New(isSearch(), reply("plan", plan(find("all", findAll))), reply("generate", body(right), body(right)), reply("answer", text(" ")))
	_, got := ask(t, newAgent(t, m, &engine{counts: map[string]int64{"": 5, `"Tax"`: 0}}, nil), qed.Turn{Text: taxDocuments})
	wants(t, "the text", got.Text, "Nothing was found")
}
