package orders

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/qedkit/qed/llm"
)

// Model returns a model that also writes a report on any of the recorded explorations, in
// any order. The other replies, and the time that these take, are those of the model of
// [Transcript].
func Model(recorded llm.Model) llm.Model {
	return llm.ModelFunc(func(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
		if req.Name != "report" {
			return recorded.Generate(ctx, req, stream)
		}
		resp, err := recorded.Generate(ctx, req, func(llm.Delta) {})
		if err != nil {
			return nil, err
		}
		resp.Message.Content = report(req.Messages[len(req.Messages)-1].Content)
		if stream != nil {
			stream(llm.Delta{Text: resp.Message.Content})
		}
		return resp, nil
	})
}

// The parts of a report. A name in angle brackets stands for the table of a query, or for
// a chart.
const (
	teamsSummary = "Beta looks better than Alpha, {<byTeam>.r2.on_time_percent:1} % against {<byTeam>.r1.on_time_percent:1} %, " +
		"because it has the easy jobs. For each kind of job Alpha is on time more often.\n\n"
	loginsSummary = "That customers log in more often because they wait longer is not shown: both grow from quarter to quarter.\n\n"

	teamsFindings = "## The teams\n\n| Job | Alpha | Beta |\n|---|---|---|\n" +
		"| install | {<byJob>.r1.on_time_percent:1} % | {<byJob>.r2.on_time_percent:1} % |\n" +
		"| overhaul | {<byJob>.r3.on_time_percent:1} % | {<byJob>.r4.on_time_percent:1} % |\n" +
		"| repair | {<byJob>.r5.on_time_percent:1} % | {<byJob>.r6.on_time_percent:1} % |\n\n" +
		"![Orders on time](chart:<byJobChart>)\n\n"
	loginsFindings = "## Waiting\n\nWaiting grew from {<byQuarter>.r1.wait:1} to {<byQuarter>.r8.wait:1} days, " +
		"and logins from {<byQuarter>.r1.logins:0} to {<byQuarter>.r8.logins:0}.\n\n" +
		"![Waiting days](chart:<byQuarterChart>)\n\n"

	teamsLimits = "The mean invoice of {<byMonth>.r1.month} is {<byMonth>.r1.mean_invoice / <byMonth>.r2.mean_invoice:0} times " +
		"that of {<byMonth>.r2.month}, the month with the next highest: the invoices may be in cents. " +
		"{<doubled>.r1.extra_rows} rows from {<doubled>.r1.first_day} to {<doubled>.r1.last_day} are duplicates.\n"
	loginsLimits = "A check objected to the correlation of logins and waiting: the quarter may explain it.\n"
)

var table = regexp.MustCompile(`(?m)^Table (q[0-9]+) has the rows of the query ("(?:[^"\\]|\\.)*"):$`)

// report writes a report on the explorations of a prompt.
func report(prompt string) string {
	names := map[string]string{} // by query, and by title of a chart
	for _, m := range table.FindAllStringSubmatch(prompt, -1) {
		var query string
		if json.Unmarshal([]byte(m[2]), &query) == nil && names[query] == "" {
			names[query] = m[1]
		}
	}
	for _, e := range explorations(prompt) {
		for _, c := range e.Charts {
			if names[c.Title] == "" {
				names[c.Title] = c.ID
			}
		}
	}
	parts := []string{"# Service orders of 2023 and 2024\n\n## Summary\n\n", "", "", "", "", "## Limitations\n\n", "", ""}
	if names[byTeam] != "" {
		parts[1], parts[3], parts[6] = teamsSummary, teamsFindings, teamsLimits
	}
	if names[byQuarter] != "" {
		parts[2], parts[4], parts[7] = loginsSummary, loginsFindings, loginsLimits
	}
	return strings.NewReplacer(
		"<byTeam>", names[byTeam], "<byJob>", names[byJob], "<byMonth>", names[byMonth], "<doubled>", names[doubled],
		"<byQuarter>", names[byQuarter], "<byJobChart>", names[byJobChart], "<byQuarterChart>", names[byQuarterChart],
	).Replace(strings.Join(parts, ""))
}

type exploration struct {
	Charts []struct{ ID, Title string }
}

// explorations reads the explorations of a prompt.
func explorations(prompt string) (all []exploration) {
	_, data, _ := strings.Cut(prompt, "\n<data>\n")
	var text string
	if json.NewDecoder(strings.NewReader(data)).Decode(&text) != nil || json.Unmarshal([]byte(text), &all) != nil {
		return nil
	}
	return all
}
