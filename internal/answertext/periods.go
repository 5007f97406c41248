package answertext

import (
	"slices"
	"strings"

	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/moment"
	"github.com/qedkit/qed/internal/prompt"
)

// Periods returns the periods of a reply of a model that can be compared and shown.
func Periods(periods []dates.Period) []dates.Period {
	var good []dates.Period
	for _, p := range periods {
		p.Words = prompt.Clip(strings.Join(strings.Fields(p.Words), " "), maxPeriodWords)
		p.From, p.Before = strings.TrimSpace(p.From), strings.TrimSpace(p.Before)
		valid := p.Words != "" && p.From+p.Before != "" && isLimit(p.From) && isLimit(p.Before)
		if valid && !slices.Contains(good, p) && len(good) < maxPeriods {
			good = append(good, p)
		}
	}
	return good
}

const (
	maxPeriods     = 20
	maxPeriodWords = 100
)

// isLimit reports whether a text is empty, a day or a moment.
func isLimit(text string) bool {
	_, _, local := moment.Local(text)
	_, absolute := moment.Absolute(text)
	return text == "" || local || absolute
}
