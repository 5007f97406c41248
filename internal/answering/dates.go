package answering

import (
	"regexp"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/usertext"
)

// The texts for users about [Dates], with {dates} and, in the second, {found}.
const (
	DatesUsed      = "Dates: {dates}."
	DatesDiffer    = "The dates may be wrong. The question means {dates}; the query has {found}."
	DatesUnchecked = "Dates: {dates}. The query does not name them, so they could not be checked."

	DatesUsedGerman      = "Zeiten: {dates}."
	DatesDifferGerman    = "Die Zeiten können falsch sein. Die Frage meint {dates}; in der Abfrage steht {found}."
	DatesUncheckedGerman = "Zeiten: {dates}. Die Abfrage nennt sie nicht, daher konnten sie nicht geprüft werden."
)

// A DateNote is the line about dates that follows the text of an answer.
type DateNote struct {
	Text    string // empty if there is nothing to say
	Differs bool   // the queries have other dates: the answer may be wrong
}

// Dates returns what the words for times in a question mean, compared with the
// queries that ran, and the line about it. An empty text is left out. Words that
// name a year need no line unless the queries differ.
func Dates(facts dates.Facts, queries []qed.Query, used, differ, unchecked string) ([]dates.Range, DateNote) {
	var written []string
	for _, q := range queries {
		if q.Executed != "" {
			written = append(written, q.Written)
		}
	}
	ranges := facts.Check(written...)
	var good, bad, open, found []string
	for _, r := range ranges {
		shown := `"` + r.Text + `" = ` + r.Days()
		switch {
		case r.Use == dates.Differs:
			bad, found = append(bad, shown), r.Instead
		case namesYear.MatchString(r.Text):
		case r.Use == dates.Matches:
			good = append(good, shown)
		default:
			open = append(open, shown)
		}
	}
	if len(written) == 0 {
		return ranges, DateNote{}
	}
	var lines []string
	line := func(template string, shown []string) {
		if template != "" && len(shown) > 0 {
			lines = append(lines, usertext.Fill(template, "dates", strings.Join(shown, "; "), "found", others(found)))
		}
	}
	line(used, good)
	line(unchecked, open)
	line(differ, bad)
	return ranges, DateNote{strings.Join(lines, "\n"), len(bad) > 0}
}

// others returns the dates of a query for a line.
func others(found []string) string {
	if len(found) == 0 {
		return "-"
	}
	return strings.Join(found, ", ")
}

var namesYear = regexp.MustCompile(`\b\d{4}\b`)
