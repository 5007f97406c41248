package answertext

import (
	"strings"

	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/usertext"
)

// A DateNote is the line about dates that follows the text of an answer.
type DateNote struct {
	Text    string // empty if there is nothing to say
	Differs bool   // the queries read other times: the answer may be wrong
}

// Dates returns the line about the times that queries read. The templates have {dates},
// and differ {found} as well. An empty one is left out. What the words of a question mean is stated only if it was
// checked: the query can be about another time. Words that name the years need no
// line unless the queries differ.
func Dates(readings []dates.Reading, used, differ, unchecked string) DateNote {
	var good, bad, open, found []string
	for _, r := range readings {
		shown := `"` + r.Words + `" = ` + r.Days()
		switch {
		case r.Verdict == dates.Contradicted:
			bad = append(bad, shown)
			found = lists.Add(found, r.Found...)
		case namesYears(r.Period):
		case r.Verdict == dates.Proved:
			good = append(good, shown)
		case r.By == dates.ByModel:
			open = append(open, shown)
		}
	}
	var lines []string
	line := func(template string, shown []string) {
		if template != "" && len(shown) > 0 {
			lines = append(lines, usertext.Fill(template,
				"dates", strings.Join(shown, "; "), "found", strings.Join(found, ", ")))
		}
	}
	line(used, good)
	line(unchecked, open)
	line(differ, bad)
	return DateNote{strings.Join(lines, "\n"), len(bad) > 0}
}

// namesYears reports whether the words of p have the years of its limits.
func namesYears(p dates.Period) bool {
	for limit := range strings.SplitSeq(p.Days(), " - ") {
		if year, _, ok := strings.Cut(limit, "-"); ok && !strings.Contains(p.Words, year) {
			return false
		}
	}
	return true
}
