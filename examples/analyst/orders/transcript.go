package orders

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
)

// recording is what a model said about the orders. A name in angle brackets stands for one
// of Named; in Report it stands for the table of that statement, or for that chart.
var recording struct {
	Questions []string
	Named     map[string]string // the statements, and the titles of the charts
	Replies   []struct {
		Question int      // its index
		After    []string // what the results before the reply say
		Prompt   []string // what the request says
		Text     []string // its lines
		Calls    []llm.ToolCall
	}
	Report []struct {
		Of   string // the part is left out without this statement
		Text []string
	}
}

//go:embed transcript.json
var recordingFile []byte

// Recorded are the questions of the transcript, in their order.
var Recorded = func() []string {
	if err := json.Unmarshal(recordingFile, &recording); err != nil {
		panic(fmt.Sprintf("orders: transcript.json: %v", err)) // not reached: the file is embedded
	}
	return recording.Questions
}()

// Transcript returns the rules of a model that explores the orders. Each reply needs
// what the results before it say: without the planted faults in them it is not given.
// [Model] writes the reports.
func Transcript() []llmtest.Rule {
	rules := []llmtest.Rule{{Name: "report", Repeat: true, Replies: []llmtest.Reply{{}}}}
	for _, r := range recording.Replies {
		reply := llmtest.Reply{Text: strings.Join(r.Text, "\n")}
		for _, c := range r.Calls {
			c.Arguments = json.RawMessage(named(recording.Named).Replace(string(c.Arguments)))
			reply.ToolCalls = append(reply.ToolCalls, c)
		}
		rules = append(rules, llmtest.Rule{
			Name: "step", Contains: r.Prompt, Match: results(Recorded[r.Question], r.After), Repeat: true,
			Replies: []llmtest.Reply{reply},
		})
	}
	return rules
}

// named replaces the names in angle brackets.
func named(by map[string]string) *strings.Replacer {
	var pairs []string
	for name := range recording.Named {
		pairs = append(pairs, "<"+name+">", by[name])
	}
	return strings.NewReplacer(pairs...)
}

// results matches requests whose last message of the user has the question, with all texts
// after it: what was said before in the conversation does not count.
func results(question string, contains []string) func(*llm.Request) bool {
	return func(r *llm.Request) bool {
		asked := len(r.Messages) - 1
		for asked > 0 && r.Messages[asked].Role != llm.RoleUser {
			asked--
		}
		var after strings.Builder
		for _, m := range r.Messages[asked:] {
			after.WriteString(m.Text() + "\n")
		}
		missing := func(text string) bool { return !strings.Contains(after.String(), text) }
		return !missing(question) && !slices.ContainsFunc(contains, missing)
	}
}
