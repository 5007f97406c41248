package orders

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/qedkit/qed/examples/internal/replay"
	"github.com/qedkit/qed/llm"
)

// Model returns a model that also writes a report on any of the recorded explorations, in
// any order. The other replies, and the time that these take, are those of the model of
// [Transcript].
func Model(recorded llm.Model) llm.Model {
	return replay.Changed(recorded, map[string]func(prompt, reply string) string{
		"report": func(prompt, _ string) string { return report(prompt) },
	})
}

var table = regexp.MustCompile(`(?m)^Table (q[0-9]+) has the rows of the query ("(?:[^"\\]|\\.)*"):$`)

// report writes a report on the explorations of a prompt.
func report(prompt string) string {
	found := map[string]string{} // tables by their query, and charts by their title
	for _, m := range table.FindAllStringSubmatch(prompt, -1) {
		var query string
		if json.Unmarshal([]byte(m[2]), &query) == nil && found[query] == "" {
			found[query] = m[1]
		}
	}
	for _, e := range explorations(prompt) {
		for _, c := range e.Charts {
			if found[c.Title] == "" {
				found[c.Title] = c.ID
			}
		}
	}
	names := map[string]string{}
	for name, text := range recording.Named {
		names[name] = found[text]
	}
	var parts []string
	for _, part := range recording.Report {
		if part.Of == "" || names[part.Of] != "" {
			parts = append(parts, strings.Join(part.Text, "\n"))
		}
	}
	return named(names).Replace(strings.Join(parts, "\n\n")) + "\n"
}

type exploration struct {
	Charts []struct{ ID, Title string }
}

// explorations reads the explorations of a prompt.
func explorations(prompt string) (all []exploration) {
	_, data, _ := strings.Cut(prompt, "\n<data>\n")
	if json.NewDecoder(strings.NewReader(data)).Decode(&all) != nil {
		return nil
	}
	return all
}
