package folders

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/qedkit/qed/examples/internal/replay"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
)

// Turn is a message of the user, with what the model writes in that turn.
type Turn struct {
	Text   string
	Plan   []Step // empty: the message is a reply, or asks for no search
	Other  string // why the message asks for no search; empty: it asks for one
	Intent string // of such a message
	Answer string
	Reply  string // the answer with references to its figures: see package figures; empty: Answer
}

// IsReply reports whether the message replies to a question of the turn before.
func (t Turn) IsReply() bool { return len(t.Plan) == 0 && t.Other == "" }

// Step is a step of a plan, with the bodies that the model writes for it. Each body
// but the last is refused or finds nothing.
type Step struct {
	Key    string
	Task   string
	After  []string
	One    bool
	Bodies []string
	Show   []string
	Why    string // after all Bodies: why the step cannot be done
}

//go:embed data/transcript.json
var transcriptFile []byte

// Transcript returns a conversation: a folder found by its name, wrong searches that
// are corrected, a question to the user, figures, an empty result, a field that is
// hidden, and a request that is no search.
func Transcript() (turns []Turn) {
	if err := json.Unmarshal(transcriptFile, &turns); err != nil {
		panic(fmt.Sprintf("folders: transcript.json: %v", err)) // not reached: the file is embedded
	}
	return turns
}

// Replay returns the rules of a scripted model that answers the search agent as
// recorded in turns. A rule depends on the request alone.
func Replay(turns []Turn) []llmtest.Rule {
	var rules []llmtest.Rule
	for _, t := range turns {
		class := map[string]any{"intent": "search", "confidence": "high", "reasoning": "it asks for documents"}
		if t.Other != "" {
			class["intent"], class["reasoning"] = t.Intent, t.Other
		}
		rules = append(rules,
			replay.Rule("classify", replay.Asks("about this decision: ", t.Text), class),
			replay.Rule("plan", replay.Asks("Question: ", t.Text), map[string]any{"steps": plan(t.Plan), "reason": ""}),
			replay.Rule("answer", replay.Asks("Question: ", t.Text), cmp.Or(t.Reply, t.Answer)),
		)
		for _, s := range t.Plan {
			rules = append(rules, s.replies(t.Text)...)
		}
	}
	return rules
}

func plan(steps []Step) []map[string]any {
	out := []map[string]any{}
	for _, s := range steps {
		out = append(out, map[string]any{"key": s.Key, "task": s.Task, "index": Index, "after": append([]string{}, s.After...), "one": s.One})
	}
	return out
}

var folderID = regexp.MustCompile(`"(abc-123|f-[0-9]+)"`)

// replies returns the rules for a step. A body with the id of a folder is the reply
// only if the request has the id, as a result of the steps before. The request for
// a correction quotes the body before it, so the last attempt is matched first.
func (s Step) replies(question string) []llmtest.Rule {
	attempts := make([]map[string]any, 0, len(s.Bodies)+1)
	for _, body := range s.Bodies {
		attempts = append(attempts, map[string]any{"body": body, "show": s.Show})
	}
	if s.Why != "" {
		attempts = append(attempts, map[string]any{"body": "", "reason": s.Why})
	}
	whole, task := replay.Asks("The question as a whole: ", question), replay.Asks("The task to be done: ", s.Task)
	var rules []llmtest.Rule
	for i := len(attempts) - 1; i >= 0; i-- {
		var known []string // folders that the body names: steps before it have found them
		if i < len(s.Bodies) {
			known = folderID.FindAllString(s.Bodies[i], -1)
		}
		again := func(*llm.Request) bool { return true }
		if i > 0 {
			again = replay.Asks("Your last body:\n", s.Bodies[i-1])
		}
		match := func(r *llm.Request) bool {
			return whole(r) && task(r) && again(r) && replay.Mentions(r, known...)
		}
		rules = append(rules, replay.Rule("generate", match, attempts[i]))
	}
	return rules
}

// Recorded returns the turns of the transcript: all of them for the empty question,
// else the turn with that text and the replies after it. Another question is an
// error that lists the recorded ones.
func Recorded(question string) ([]Turn, error) {
	all := Transcript()
	if question == "" {
		return all, nil
	}
	var texts []string
	for i, t := range all {
		switch {
		case t.IsReply():
		case strings.EqualFold(t.Text, strings.TrimSpace(question)):
			end := i + 1
			for end < len(all) && all[end].IsReply() {
				end++
			}
			return all[i:end], nil
		default:
			texts = append(texts, t.Text)
		}
	}
	return nil, replay.NotRecorded(texts)
}
