package port

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/qedkit/qed/examples/internal/replay"
	"github.com/qedkit/qed/llm"
)

// Model returns a model that also replies to what cannot be recorded: it reads passages
// for the tasks of the user, passes on what the user added, and cites in a report only
// what was found. The other replies, and the time that these take, are those of the
// model of [Transcript].
func Model(recorded llm.Model) llm.Model {
	return replay.Changed(recorded, map[string]func(prompt, reply string) string{
		"conclude_clarification": conclude,
		"condense_passage":       condense,
		"write_report":           report,
	})
}

const replied = "The user replied: "

// conclude adds the replies of the user to a reply.
func conclude(prompt, reply string) string {
	var out object
	if json.Unmarshal([]byte(reply), &out) != nil {
		return reply
	}
	out["context"] = strings.Join(quoted(prompt, replied), " ")
	return encode(out)
}

// adds reports whether the user added a word to the question, by a prompt.
func adds(req *llm.Request, word string) bool {
	added := strings.Join(quoted(req.Messages[len(req.Messages)-1].Content, "The user added: "), " ")
	return strings.Contains(strings.ToLower(added), word)
}

// condense reads a passage for a task that is not recorded: the sentences that have a
// word of the task.
func condense(prompt, reply string) string {
	task := strings.Join(quoted(prompt, taskLabel), " ")
	if isTask(task) {
		return reply
	}
	_, passage, _ := strings.Cut(prompt, "<passage>\n")
	lines := strings.SplitN(passage, "\n", 3) // the title, the text and the end
	var text string
	if len(lines) < 2 || json.Unmarshal([]byte(lines[1]), &text) != nil {
		return reply
	}
	wanted := words(task)
	var relevant []string
	for sentence := range strings.SplitSeq(strings.ReplaceAll(text, "\n", ". "), ". ") {
		isHeading := strings.HasPrefix(sentence, "#")
		if !isHeading && slices.ContainsFunc(words(sentence), func(w string) bool { return slices.Contains(wanted, w) }) {
			relevant = append(relevant, strings.TrimSuffix(sentence, ".")+".")
		}
	}
	if len(relevant) == 0 {
		return encode(condensed("", 0))
	}
	return encode(condensed(strings.Join(relevant, " "), 0.8))
}

const taskLabel = "\nTask: "

func taskOf(req *llm.Request) string {
	return strings.Join(quoted(req.Messages[len(req.Messages)-1].Content, taskLabel), " ")
}

// isTask reports whether a task is recorded.
func isTask(description string) bool {
	is := func(t object) bool { return t["description"] == description }
	return slices.ContainsFunc(researches, func(r recording) bool {
		return slices.ContainsFunc(r.Tasks, is) || slices.ContainsFunc(slices.Collect(maps.Values(r.Wished)), is)
	})
}

// words returns the words of a text that carry its meaning: the long ones.
func words(text string) []string {
	return slices.DeleteFunc(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), func(w string) bool { return len(w) < 4 })
}

var (
	derived = regexp.MustCompile(`(?s)\{needs((?: c\w{5})+)\}\n(.*?)\{end\}\n`)
	citing  = regexp.MustCompile(`[^.\n]*(?:\[c\w{5}\])+\.? ?`)
	keys    = regexp.MustCompile(`\[c\w{5}\]`)
	empty   = regexp.MustCompile(`(?m)^## .*\s+(\z|^## )`)
	finding = regexp.MustCompile(`(?m)^(\[c\w{5}\]) "(?:[^"\\]|\\.)*"\n("(?:[^"\\]|\\.)*")`)
)

// report returns the recorded report without the sentences whose findings are missing,
// and with the findings that are not recorded. What follows from several findings stays if
// all of them were found.
func report(prompt, reply string) string {
	reply = derived.ReplaceAllStringFunc(reply, func(part string) string {
		m := derived.FindStringSubmatch(part)
		for _, key := range strings.Fields(m[1]) {
			if !strings.Contains(prompt, "\n["+key+"] ") {
				return ""
			}
		}
		return m[2]
	})
	text := citing.ReplaceAllStringFunc(reply, func(sentence string) string {
		for _, key := range keys.FindAllString(sentence, -1) {
			if !strings.Contains(prompt, "\n"+key+" ") {
				return ""
			}
		}
		return sentence
	})
	for before := ""; before != text; {
		before, text = text, empty.ReplaceAllString(text, "$1")
	}
	var more []string
	for _, f := range finding.FindAllStringSubmatch(prompt, -1) {
		var said string
		if json.Unmarshal([]byte(f[2]), &said) == nil && !isRecorded(said) {
			for sentence := range strings.SplitSeq(strings.ReplaceAll(said, ".\n", ". "), ". ") {
				more = append(more, "- "+strings.TrimSuffix(sentence, ".")+" "+f[1]+".")
			}
		}
	}
	if len(more) > 0 {
		heading := "Also found"
		for _, r := range researches {
			if slices.Contains(quoted(prompt, "Question: "), r.Question) {
				heading = r.Also
			}
		}
		text = strings.TrimSpace(text) + "\n\n## " + heading + "\n\n" + strings.Join(more, "\n")
	}
	if text = strings.TrimSpace(text); text != "" {
		return text
	}
	return "[none]"
}

// isRecorded reports whether a finding was condensed from recorded passages alone.
func isRecorded(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		if !slices.ContainsFunc(researches, func(r recording) bool {
			return slices.ContainsFunc(r.Passages, func(p passage) bool { return p.Relevant == line })
		}) {
			return false
		}
	}
	return true
}

// quoted returns the quoted texts after a label in a prompt.
func quoted(prompt, label string) (all []string) {
	for rest := prompt; ; {
		_, after, found := strings.Cut(rest, label+`"`)
		if !found {
			return all
		}
		var text string
		if json.NewDecoder(strings.NewReader(`"`+after)).Decode(&text) == nil {
			all = append(all, text)
		}
		rest = after
	}
}

func encode(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // not reached: texts and numbers have a JSON form
	}
	return string(raw)
}
